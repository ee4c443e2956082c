# ruff: noqa: E501 - one sentence a line reads better than a wrapped one
"""
What a life is made of: kinds of projects, what comes up in them, and the words to tell it with.

``KINDS`` is read line by line:

    # noun | other nouns for it
    & short titles: "the tunnelling paper"
    @ what one says to open a note on a matter of this kind
    * facet: its things
    = something that gets settled once in a project, as one would call it
    > it is told                         (``{P}`` names the project, or is "it")
    ? it is asked for, by the project's name
    ~ it is asked for in other words, without any name

What settles is in the slots, so no question holds it. A slot draws from ``WORDS`` here, or of
``calibrate._topics``; ``{who}`` and ``{who2}`` are people of the project, ``{thing}`` is of the facet.
"""

from __future__ import annotations

KINDS = """
# paper|manuscript|article|write-up
& tunnelling|lichen|reef|dialect|glacier|moth|tariff|sleep|pigment|beetle|estuary|reading
@ Sat down with {P} again.
@ An hour on {P} before breakfast.
* peer review: the second referee|the rebuttal|the reply letter|the minor remarks|the referee reports|the editor's summary|the list of objections|the revised version
= what the referees demand
> The second referee will not budge: everything has to be repeated with {control}.
> What they insist on most is a comparison against {control}, nothing else seems to matter to them.
> {who} read the report aloud to me. In short: without {control} they will reject {P}.
? What do the referees of {P} insist on?
? Which extra comparison was demanded in the review of {P}?
~ What was it that those anonymous critics could not live without?
= the answers to the referees
> We agreed that {who} drafts the answers to all the remarks and I only polish them.
> {who} offered to take the whole reply letter on, and I was not going to argue.
> Answering the reports is now on {who}, with {who2} looking over it at the end.
? Who writes the reply to the reviewers of {P}?
? Whose job is the response letter for {P}?
~ Who volunteered to deal with the criticism for us?
= the new deadline
> The editor gave us until the {nth} of {month} to send everything back.
> I begged for more time and we have it: the {nth} of {month}, not a day later.
> New date from the editorial office for {P}: {month} {nth}.
? When must the revision of {P} be in?
? Until when did the editor extend the deadline for {P}?
~ By when do they want our answer back?
* where to send it: the cover letter|the submission portal|the formatting rules|the word limit|the scope statement|the keywords|the editor's mail|the fees
= the choice of journal
> First we try {journal}. If that fails we can still go lower.
> {who} talked me into {journal}, mostly because they are quick.
> Settled over coffee: it goes to {journal}.
? Which journal do we submit {P} to?
? Where do we send {P} first?
~ Where did we want to try our luck with it?
= the editor in charge
> {who} knows an editor there from school, {outsider}, and will write ahead.
> It turns out that {outsider} handles everything in our area, so we address it to them.
> The one who decides about {P} will be {outsider}, which is good news.
? Which editor handles {P}?
? Who is in charge of {P} at the journal?
~ Whose desk does it land on over there?
= the length
> I had overlooked that they allow only {number} pages, supplement not counted.
> {number} pages, that is all they give us, so half of section four has to go.
> {who} checked the rules: no more than {number} pages for {P}.
? How many pages may {P} have?
? What is the length limit for {P}?
~ How long are we allowed to make it?
* figures: the colour scale|figure three|the error bars|panel b|the caption|the inset|the legend|the map|the axis labels
= the plotting
> {who} redraws everything in {tool}, since mine looked like a child's work.
> From now on all plots are made in {tool}, by {who}.
> We threw my drawings away. {who} does them over with {tool}.
? What are the figures of {P} drawn with?
? Which program do we use for the plots of {P}?
~ How are the pictures being produced now?
= the colours
> {who} is colour-blind, so everything turns {colour} and {colour2} now.
> The new scheme is {colour} for ours and {colour2} for the rest.
> After the complaint about red and green we went for {colour} against {colour2}.
? Which colours do the plots of {P} use?
? What is the colour scheme of {P}?
~ What shades did we switch to so that everybody can tell them apart?
= a figure less
> Figure {digit} is out, it said nothing that the table does not say.
> I took figure {digit} out of {P} and nobody noticed for a week.
> {who} finally persuaded me to kill figure {digit}.
? Which figure was taken out of {P}?
? Which plot did we remove from {P}?
~ Which of the drawings did not survive?
* measurements: the calibration run|the second batch|the outliers|the control group|the raw files|the logbook|the sensor|the spreadsheet|the field site
= the spoiled data
> The whole run of {month} is worthless, the {device} was not calibrated.
> We have to throw out {month}: somebody had knocked the {device}.
> {who} found it. All values from {month} are off because of the {device}.
? What spoiled the data of {P}?
? Which measurements of {P} are unusable, and why?
~ What went wrong when we were collecting?
= the sample size
> In the end {number} cases are left after the exclusions, which is still enough.
> {who} counted again and we are down to {number} usable ones.
> So the final n is {number}, and I will not touch it any more.
? How many cases does {P} analyse?
? What is the final sample size of {P}?
~ How many were left once the bad ones had been thrown away?
= the open data
> All the raw files go to {archive}, {who} has the account.
> The data will be open: {who} uploads them to {archive} when it is accepted.
> We had to name a repository, so I wrote {archive}.
? Where is the data of {P} deposited?
? Which repository holds the raw data of {P}?
~ Where can strangers download our stuff?
* writing: the introduction|section two|the abstract|the discussion|the last paragraph|the title|the reference list|the methods part
= the title
> The working title is dead. It will be called "{paptitle}".
> {who} came up with "{paptitle}" in the shower and we all like it.
> We voted: "{paptitle}", four to one.
? What title did we choose for {P}?
? What will {P} be called in print?
~ What heading did the vote come out for?
= what is cut
> The part about {section} goes, and {who} turns it into something of its own.
> {who} is right that {section} belongs elsewhere. Cut.
> I moved {section} out of the text and feel ten pounds lighter.
? Which part was cut from {P}?
? What did we leave out of the text of {P}?
~ Which passage is to become something separate?
= the proofreading
> Before it goes out {outsider} reads it, as the only person who will be honest.
> I asked {outsider} to go over the English and got a yes.
> {outsider} will read all of {P} for a bottle of wine.
? Who proofreads {P}?
? Which outsider reads {P} before it is sent?
~ Who goes over the language for us as a favour?
* authors and money: the author order|the grant report|the acknowledgements|the contribution statement|the conference budget|the affiliation|the invoice for printing
= the author order
> {who} goes first and I go last, everybody in between by alphabet.
> After a long talk: {who} is first author, and that is that.
> The order is fixed, with {who} at the front.
? Who is first author of {P}?
? Whose name comes first on {P}?
~ Who gets to stand at the front of the list?
= the publication fee
> The open access fee comes out of {who}'s {fund}.
> {who} can pay the {amount} from the {fund}, so we need not beg the faculty.
> Money is solved: the {fund} covers the publication of {P}.
? Who pays the fees of {P}?
? Where does the money to publish {P} come from?
~ Which pot covers what they charge?
= the conference
> We present it in {city}, {who} gives the talk.
> {who} speaks about it in {city} and I do the poster.
> The abstract was accepted, so off to {city} we go with {P}.
? At which conference do we present {P}?
? Where will {P} be presented?
~ In which town do we show it to the world?

# renovation|conversion|building work|refurbishment
& attic|bathroom|kitchen|cellar|workshop|balcony|stairwell|garage|guest room|pantry
@ The builders were here for {P} today.
@ Walked through {P} with a torch tonight.
* permits: the form|the building office|the neighbours' consent|the drawings|the stamp|the heritage board|the site plan|the inspector
= the permit office
> The person to talk to at the building office is {outsider}, only in on {weekday}s.
> {outsider} at the town hall has our file, mornings only.
> I finally know who decides: {outsider}, second floor.
? Who handles the permit for {P}?
? Which official is in charge of {P}?
~ Who do we have to be nice to at the town hall?
= the neighbours' objection
> The neighbours object because of the {nuisance}, {who} wants to talk to them.
> We got a letter from next door. They fear for the {nuisance}.
> Our consent hangs on the {nuisance}, of all things.
? Why do the neighbours object to {P}?
? What is the complaint about {P}?
~ What are the people next door upset about?
= the cost of the permit
> It costs {amount} just to have the thing stamped.
> The permit alone came to {amount}, paid today.
> {who} transferred {amount} to the town for the paper.
? What did the permit for {P} cost?
? How much was the fee for {P}?
~ What did the bureaucrats charge us?
* builder and crew: the quote|the carpenter|the scaffolding|the apprentice|the contract|the guarantee|the hours|the foreman|the second offer
= the choice of builder
> We took {firm}. Not the cheapest, but they answer the phone.
> Signed with {firm} after {who} had seen their last site.
> {who} convinced me of {firm} and the others got a polite no.
? Which firm carries out {P}?
? Who did we hire for {P}?
~ Who got the job after all those offers?
= the start of the work
> They begin on the {nth} of {month}, if the weather holds.
> Start is now the {nth} of {month}, as {who} is in hospital until then.
> The crew comes for {P} on {month} {nth}.
? When does the work on {P} begin?
? On what day do the builders start {P}?
~ From when on will there be dust everywhere?
= the damage
> One of them dropped a beam on the {fixture}. They will replace it.
> The {fixture} is broken, they say it was like that before, {who} has photos.
> I am cross: nobody told me that they had cracked the {fixture}.
? What did the builders break during {P}?
? Which damage was done in the course of {P}?
~ What did those clumsy people ruin?
* materials: the tiles|the floorboards|the plaster|the insulation|the samples|the paint|the grout|the timber|the delivery
= the flooring
> The floor will be {floor}. {who} has held the sample against the wall.
> After three weekends in showrooms we ordered {floor}.
> {floor}, final, and I will hear no more about it.
? What flooring did we choose for {P}?
? Which floor goes into {P}?
~ What will we be walking on?
= the colour of the walls
> {who} painted a patch and we both like it: {colour}.
> The walls get {colour}, the ceiling stays white.
> I ordered eleven litres of {colour} this morning.
? Which colour do the walls get in {P}?
? How is {P} painted?
~ What shade did we fall in love with?
= the insulation
> For insulation we take {insul}, since {who} hates the itch of the other stuff.
> {insul} between the rafters, {digit}0 centimetres thick.
> The energy adviser swears by {insul}, so be it.
? What is {P} insulated with?
? Which insulation material did we settle on for {P}?
~ What keeps the warmth in?
* pipes and cables: the fuse box|the sockets|the drain|the boiler|the valve|the meter|the old wiring|the radiator|the water pressure
= the leak
> The leak came from the {pipe}, not from the roof.
> {who} opened the wall and there it was, a hole in the {pipe}.
> All this water because of the {pipe}!
? Where did the leak in {P} come from?
? What caused the water damage in {P}?
~ So why was it dripping?
= the number of sockets
> {number} sockets, {who} counted them twice, and two more by the window.
> The electrician put in {number} sockets and shook his head.
> We want {number} sockets, better too many than too few.
? How many sockets are planned for {P}?
? How many power outlets does {P} get?
~ In how many places can we plug something in?
= the heating
> Instead of a radiator there will be {heating}.
> {who} worked it out, {heating} pays off after nine winters.
> The heating question is settled: {heating}.
? What kind of heating does {P} have?
? How will {P} be heated?
~ What did we go for so that we never freeze again?
* money and loan: the invoice|the loan|the second instalment|the tax form|the subsidy|the overrun|the spreadsheet|the bank|the receipt
= the budget
> The ceiling is {amount}. Beyond that we stop, whatever is open.
> {who} and I shook hands on {amount} at most.
> Together we can put {amount} into {P}, not more.
? What is the budget of {P}?
? How much may {P} cost at most?
~ At what sum did we promise each other to stop?
= the loan
> {outsider} at {bank} gave us the better rate, fixed for ten years.
> The loan comes from {bank} after all.
> We said no to the house bank and yes to {bank}.
? Which bank finances {P}?
? Where did we take the loan for {P}?
~ Who lends us the money?
= the subsidy
> There is a grant for {grantfor} and {who} applied in time.
> If we do {grantfor} the state pays a fifth of it.
> The subsidy was approved, all because of {grantfor}.
? What is subsidised in {P}?
? For which measure did we get a grant in {P}?
~ What does the state chip in for?
* furniture and light: the shelf|the lamp|the wardrobe|the window seat|the mirror|the table|the curtains|the switch|the hooks
= the piece made to measure
> {who} builds the {furniture} himself, out of the old beams.
> The {furniture} has to be made to measure, nothing in the shops fits.
> A joiner from {city} makes the {furniture} for {P}.
? Which piece is made to measure for {P}?
? What is being built specially for {P}?
~ Which bit of furniture can nobody sell us?
= the lamp
> Found the lamp at {shop}. {who} thinks it is hideous.
> The lamp from {shop} is reserved until {weekday}.
> {shop} had exactly the light we were looking for.
? Where does the lamp for {P} come from?
? In which shop did we find the light for {P}?
~ Where did we spot the thing that hangs from the ceiling?
= what we keep
> We keep the old {oldthing}, {who} sands it down.
> The {oldthing} stays. It was there before us and will be after us.
> I could not throw the {oldthing} away and now it has a place of honour.
? What old piece is kept in {P}?
? Which old thing stays in {P}?
~ What did we not have the heart to throw out?

# contract|assignment|engagement|client job
& bakery|museum|ferry|brewery|library|vineyard|clinic|zoo|cinema|harbour|orchard|tram
@ Call about {P} this morning.
@ Cleared the desk for {P}.
* offer and price: the quote|the hourly rate|the discount|the terms|the second draft|the signature|the cancellation clause|the purchase order
= our daily rate
> We charge {amount} a day there, and {who} said yes without blinking.
> The day rate is {amount}, travel on top.
> {who} beat us down to {amount} per day.
? What day rate did we agree on for {P}?
? How much do we charge per day for {P}?
~ What do we earn there for eight hours?
= the disputed clause
> Our lawyer wants the clause on {clause} out, otherwise we do not sign.
> {who} reads every line and stumbled over {clause}.
> The only thing in the way of {P} is the paragraph about {clause}.
? Which clause is in dispute in {P}?
? What did our lawyer object to in {P}?
~ Which paragraph kept us from signing?
= the competition
> They also asked {firm}, who are cheaper but booked out.
> Our rival there was {firm}, {who} told me after the fact.
> It was between {firm} and us until the last round.
? Who else bid for {P}?
? Which competitor did we have for {P}?
~ Who did we beat to it?
* people over there: the head of sales|the new assistant|the board|the works council|the contact|the secretary|the founder|the steering group
= who decides
> Nothing happens without {who}, the {postjob} over there.
> It is not the boss who decides but the {postjob}, {who}.
> Learned today that {who}, {postjob}, has the last word.
? Who has the last word in {P}?
? Whose approval do we need in {P}?
~ Which of them do we really have to convince?
= how to behave there
> Note to self: never call {who} before ten, and no {dislike}, ever.
> {who} cannot stand {dislike}. {who2} warned me in time.
> The quickest way to lose {P} is {dislike}, says {who2}.
? What should we avoid when dealing with the client of {P}?
? What does the client of {P} dislike?
~ What must we never do in front of them?
= a change of contact
> {who} leaves in {month} and {who2} takes over the file.
> From {month} on it will be {who2} instead of {who}.
> Farewell drinks for {who} in {month}, so we start again with {who2}.
? When does our contact in {P} change?
? From when on is somebody else responsible for {P}?
~ How long do we still have the person we know?
* what we deliver: the prototype|the handbook|the training|the interface|the first version|the test plan|the logo|the walkthrough|the data export
= the first delivery
> First of all they get {deliver}, everything else can wait.
> {who} wants {deliver} before anything else.
> Phase one is {deliver}, phase two we will see.
? What do we deliver first in {P}?
? What is phase one of {P}?
~ Where do we begin with what they ordered?
= the handover
> Handover is on {month} {nth}, with cake.
> {who} booked the room for the {nth} of {month}, then it has to be done.
> Delivery date fixed with {who}: {nth} of {month}.
? When do we hand over {P}?
? What is the delivery date of {P}?
~ On which day does everything have to work?
= the translation
> Everything has to be in {language} as well, nobody had told us.
> {who} asks for a version in {language}, and {outsider} will translate.
> They have forty people who only read {language}. So we translate.
? Into which language is {P} translated?
? Which other language does {P} need?
~ What do we need a translator for?
* trouble: the outage|the angry call|the missing files|the bug|the delay|the misunderstanding|the complaint|the apology
= the cause of the outage
> It was the {techbit} all along. Two days for that.
> {who} traced it back to the {techbit}.
> The reason for the mess was the {techbit}, we have it in writing.
? What caused the outage in {P}?
? What was the reason for the trouble in {P}?
~ So what was behind that whole disaster?
= the compensation
> To make up for it they get {amends} for free.
> I offered {amends} and {who} calmed down at once.
> The apology cost us {amends}, which is fair.
? What did we offer as compensation in {P}?
? How did we make up for the mistake in {P}?
~ How did we smooth things over?
= the delay
> We lost {number} days, and {who} moved the plan accordingly.
> The delay is {number} days by now.
> {number} days behind, I wrote it in red on the board.
? How far behind is {P}?
? How many days have we lost in {P}?
~ How late are we?
* invoices: the reminder|the first instalment|the tax number|the travel costs|the purchase order|the bank transfer|the late fee
= the unpaid invoice
> {amount} are still open and {who} does not pick up the phone.
> The second invoice of {amount} is overdue by six weeks.
> They owe us {amount}. I have sent the second reminder.
? How much does the client of {P} still owe us?
? Which sum is unpaid in {P}?
~ What are we still waiting for on the account?
= the billing address
> Bills do not go to the office but to {outsider} in {city}.
> New rule: invoices only to {city}, for the attention of {outsider}.
> {who2} says that accounting sits in {city} now.
? Where do the invoices for {P} go?
? To whom do we address the bills for {P}?
~ Where does accounting sit these days?
= the instalments
> They pay in {digit} instalments, the last one after the launch.
> {who} agreed to {digit} part payments.
> Split into {digit} instalments, that was my condition.
? In how many instalments is {P} paid?
? How is the payment of {P} split?
~ Into how many parts is our fee divided?
* meetings: the agenda|the minutes|the kick-off|the video call|the workshop|the lunch|the whiteboard photos|the action items
= where we meet
> We meet at {venue} because their room is being painted.
> {who} suggested {venue} for the workshop.
> The kick-off takes place at {venue}, parking behind the house.
? Where does the workshop of {P} take place?
? Where do we meet the client of {P}?
~ What place was suggested for getting together?
= the regular call
> From now on a call every second {weekday} at {hour}.
> {who} wants to hear from us on {weekday}s, at {hour} sharp.
> Regular slot: {weekday}, {hour}.
? When is the regular call of {P}?
? At what time do we talk to the client of {P}?
~ When do they expect us on the line?
= the stand-in
> {who} will not be there, {who2} stands in.
> We go without {who} this time, as {who2} knows the details anyway.
> {who} has to cancel and sends {who2}.
? Who stands in at the meeting on {P}?
? Who replaces whom at the meeting for {P}?
~ Who comes as a substitute?

# record|album|release|recording
& lullaby|harbour|winter|carnival|sailor|moonlight|circus|garden|railway|midnight
@ Rehearsal for {P} last night.
@ Listened to the takes of {P} on the train.
* songs: the bridge|the chorus|the third verse|the intro|the key change|the lyrics|the ballad|the running order|the last track
= the opening song
> The first track will be "{song}", {who} had goosebumps.
> It opens with "{song}" now, the slow one moves to the end.
> "{song}" goes to the top of {P}, decided by show of hands.
? Which song opens {P}?
? What is the first track of {P}?
~ What do people hear as soon as they press play?
= the key
> {who} cannot reach the high part, so everything goes down to {key}.
> We play the long one in {key} now, it sits better.
> Transposed it to {key}. The trumpet will hate me.
? To which key did we transpose the song on {P}?
? In what key do we play the long one on {P}?
~ How far down did we take it for the singer's sake?
= the guest
> {outsider} sings on the second one, {who} asked her at a wedding.
> We have a guest: {outsider} plays {instrument}.
> A yes from {outsider}, {instrument} on two songs.
? Who is the guest musician on {P}?
? Which guest plays on {P}?
~ Who from outside joins us?
* studio: the microphone|the drum booth|the takes|the rough mix|the headphones|the tape machine|the engineer|the overdubs
= the studio
> We booked {studio} for a week, it smells of soup but the piano is good.
> {who} got us into {studio} at half the price.
> Recording happens at {studio} after all.
? In which studio do we record {P}?
? Where is {P} recorded?
~ Which room did we rent to get it on tape?
= the mixing
> {outsider} mixes it, {who} knows them from the radio.
> For the mix we take {outsider}, who did that record we all love.
> The mix goes to {outsider} in {city}.
? Who mixes {P}?
? To whom do we give {P} for mixing?
~ Who turns the knobs at the end?
= what to record again
> The {part} have to be done again, all of them.
> {who} hears it too: the {part} are out of time.
> We record the {part} of {P} a second time on {weekday}.
? What has to be recorded again for {P}?
? Which tracks of {P} do we redo?
~ What was not good enough and has to be repeated?
* concerts: the set list|the promoter|the van|the encore|the sound check|the tickets|the support act|the hall|the poster
= the release show
> We present it at {venue}, {number} rows of chairs.
> {who} talked to the owner and {venue} is ours for one night.
> The release show will be at {venue}.
? Where is the release show of {P}?
? In which place do we present {P} live?
~ Where do we celebrate with an audience?
= the support act
> {band} open for us, {who} plays with their drummer.
> As support we asked {band} and they said yes in a minute.
> {band} start at eight, we start at nine.
? Who plays before us at the show of {P}?
? Which band opens the evening for {P}?
~ Who warms up the crowd?
= the fee for the evening
> They pay {amount} and dinner, more than ever.
> {who} negotiated {amount} for the evening.
> {amount} flat, no share of the door.
? What fee do we get for the concert of {P}?
? How much are we paid for playing {P}?
~ What do we take home for that night?
* band matters: the rehearsal room|the new drummer|the vote|the argument|the calendar|the band fund|the key to the room|the name
= the quarrel
> {who} and {who2} are not talking because of {quarrel}.
> The argument was about {quarrel}, as usual.
> {who} walked out over {quarrel}. Back by nine, with beer.
? What did the band argue about during {P}?
? What was the quarrel about at the rehearsals of {P}?
~ Why were two of us not on speaking terms?
= the new member
> {outsider} plays {instrument} with us from {month} on.
> We have found somebody for the {instrument}: {outsider}, a neighbour of {who}.
> New in the room: {outsider} with a {instrument}.
? Who joined us on {P}?
? Who is the new player for {P}?
~ Who is the new face?
= the rehearsal room
> The rehearsal room moves to {place}, {who} has the keys.
> From {month} on we rehearse in {place}.
> We lost the old room. {place} is cold but free.
? Where do we rehearse {P} now?
? Where is the new rehearsal room for {P}?
~ Where do we make our noise nowadays?
* sleeve and pressing: the cover photo|the booklet|the test pressing|the vinyl|the fonts|the credits|the liner notes|the barcode
= the cover picture
> The cover shows {coverpic}, {who} took it on holiday.
> {who} painted {coverpic} and that is our cover.
> Everybody voted for {coverpic} on the front.
? What is on the cover of {P}?
? Which picture did we choose for the sleeve of {P}?
~ What will people see in the shop window?
= the print run
> We press {number} hundred, {who} thinks that is mad.
> The order is out: {number} hundred on vinyl.
> {number} hundred copies and not one more.
? How many copies of {P} do we press?
? What is the print run of {P}?
~ How large a pile of them did we order?
= the pressing plant
> The plant in {city} can do it by {month}.
> Pressed in {city}, since the other one has a queue until next year.
> {who} found a plant in {city} that answers mails.
? Where is {P} pressed?
? Which pressing plant makes {P}?
~ Where are they being manufactured?
* label and rights: the label|the contract|the royalties|the radio|the press kit|the distributor|the streaming date|the review copy
= the label
> {label} want it, {who} cried a little.
> It comes out on {label} after all.
> Two labels answered and we go with {label}.
? Which label brings out {P}?
? Who releases {P}?
~ Who is going to put their logo on it?
= the release date
> It comes out on the {nth} of {month}.
> The date is the {nth} of {month}, {who} has told the press.
> {month} {nth}, a Friday, as always.
? When does {P} come out?
? What is the release date of {P}?
~ From which day can people buy it?
= the rights
> The publisher wants {amount} for the cover version.
> For one old song we pay {amount}, {who} got the letter.
> We may use it if we pay {amount} to the heirs.
? What do the rights for the cover version on {P} cost?
? How much do we pay for the old song on {P}?
~ What do the heirs want from us?

# treatment|therapy|medical thing|cure
& knee|migraine|hearing|back|eye|allergy|shoulder|thyroid|tooth|sleep apnoea
@ Appointment for {P} today.
@ Kept the diary for {P}.
* doctors: the specialist|the referral|the second opinion|the waiting room|the surgeon|the practice|the letter|the on-call doctor
= the choice of doctor
> Dr. {surname} is the one to see, {who} was there last year.
> {who} recommended Dr. {surname}, and for once the wait is short.
> I change to Dr. {surname}, who at least listens.
? Which doctor does {P}?
? Who treats us in {P}?
~ Whom did we decide to trust with it?
= the second opinion
> The second opinion says {opinion}.
> According to the other one {opinion}. {who} is relieved.
> {opinion}, at least that is what the clinic thinks.
? What did the second opinion on {P} say?
? What does the other clinic think about {P}?
~ What did the other expert make of it?
= the next appointment
> The next appointment is on {month} {nth} at {hour}.
> They gave me the {nth} of {month}, {hour}, and {who} drives.
> Check-up: {nth} of {month}, {hour}, on an empty stomach.
? When is the next appointment for {P}?
? On what day is the check-up for {P}?
~ When do we have to turn up there again?
* medicine: the tablets|the dose|the side effects|the prescription|the drops|the leaflet|the pharmacy|the injections
= the new medicine
> From tonight it is {drug}, half a tablet.
> The new one is called {drug}, {who} takes it too.
> Switched to {drug} because the old one made me dizzy.
? Which medicine is taken in {P}?
? What was prescribed for {P}?
~ What do we swallow now instead of the old stuff?
= the side effects
> Since then {sideeffect}, which is on the list of rare ones.
> The tablets work but {sideeffect}.
> {who} noticed first: {sideeffect}.
? What side effect does the medicine of {P} have?
? What happens when taking the tablets for {P}?
~ What is the price for feeling better?
= what is forbidden
> Never together with {badfood}, underlined twice.
> The pharmacist says no {badfood} as long as this goes on.
> {who} nearly gave me {badfood}, which is forbidden now.
? What must not be eaten during {P}?
? Which food is forbidden in {P}?
~ What are we not allowed to have at the table?
* exercises: the stretching|the rubber band|the balance board|the physiotherapist|the swimming|the diary|the daily walk|the mat
= the exercise
> The one that helps is {exercise}, three times a day.
> {who} showed me {exercise}, and it hurts less already.
> Homework: {exercise}, also on Sundays.
? Which exercise helps in {P}?
? What does the therapist of {P} want done daily?
~ What do we have to practise morning and night?
= the course
> {outsider} does the course, {weekday}s in the old school.
> I go to {outsider} now, who used to work with dancers.
> The sessions with {outsider} start next {weekday}.
? With whom do we do the exercises for {P}?
? Who gives the course for {P}?
~ Who makes us sweat?
= the goal
> The goal: {goal} by {month}.
> {who} and I agreed that if I can {goal}, we celebrate.
> By {month} I want to {goal}.
? What is the goal of {P}?
? What do we want to be able to do after {P}?
~ What are we training towards?
* insurance: the claim|the refund|the form|the policy|the hotline|the co-payment|the rejected bill|the appeal
= what the insurance refuses
> They will not pay for {aid}, {who} writes the appeal.
> The claim for {aid} was rejected.
> {aid}: "not medically necessary". We appeal.
? What does the insurance refuse to pay in {P}?
? Which claim was rejected in {P}?
~ What do they say is not necessary?
= the refund
> They refund {amount}, which is more than nothing.
> {amount} came back from the insurance today.
> After the third letter: {amount} on the account.
? How much did the insurance refund for {P}?
? What sum came back for {P}?
~ How much did we get out of them in the end?
= the clerk
> {outsider} there handles it, file {digit}{digit2}-{nth}.
> At the hotline only {outsider} knows the case.
> The clerk is {outsider}, before noon.
? Who at the insurance handles {P}?
? Which clerk is responsible for {P}?
~ Whom do we ask for when we ring them up?
* hospital: the ward|the bag|the anaesthetist|the discharge|the visiting hours|the scan|the bed by the window|the operation date
= the operation date
> They operate on {month} {nth}, first thing in the morning.
> The operation is fixed: {nth} of {month}.
> {who} takes the week off, since they cut on the {nth} of {month}.
? When is the operation in {P}?
? What is the date of surgery in {P}?
~ When does it get serious?
= the ward
> It will be ward {digit}{digit2}, visits until {hour}.
> {who} found the bed in ward {digit}{digit2}.
> Ward {digit}{digit2}, by the lift on the left.
? Which ward is it in {P}?
? Where in the hospital is the bed in {P}?
~ Where do the visitors have to go?
= what to pack
> What must not be left at home: the {bring}.
> {who} says I will miss the {bring} most, so it is packed.
> They asked me to bring the {bring}.
? What needs to be brought to the hospital for {P}?
? What has to be packed for {P}?
~ What should go in the bag?
* at home: the sleep log|the ice packs|the pillow|the stairs|the diet|the alarm|the chair|the crutches
= help at home
> {who} comes every {weekday} to help with the shopping.
> For the heavy things I have {who}, on {weekday}s.
> {who} insists on cooking on {weekday}s until this is over.
? Who helps at home during {P}?
? Who comes by to help because of {P}?
~ Who lends a hand while this goes on?
= what makes it worse
> The diary is clear: it gets worse with {trigger}.
> {trigger}, that is what sets it off. {who} guessed it months ago.
> Every bad night followed {trigger}.
? What makes things worse in {P}?
? Which trigger did we find in {P}?
~ What did we find out sets it off?
= a useful aid
> I bought {aid} and it changed everything.
> {who} lent me {aid}.
> {aid} is the best thing that happened since this began.
? Which aid was bought for {P}?
? What helps at home in {P}?
~ What gadget turned out to be worth it?

# trip|journey|tour|holiday
& Norway|Sicily|Albania|Patagonia|Japan|Scotland|Morocco|Georgia|Iceland|Portugal|Tasmania|Slovenia
@ Maps all over the floor for {P}.
@ Long talk about {P} tonight.
* route: the map|the pass|the coast road|the second leg|the border|the detour|the rest day|the viewpoint|the ferry
= the first stop
> First stop is {town}, {who} has a cousin there.
> We begin in {town} and leave the capital for the end.
> Night one: {town}, no discussion.
? Where is the first stop of {P}?
? In which place does {P} begin?
~ Where do we spend the very first night?
= what we skip
> We leave {town} out, too many coaches.
> {who} crossed out {town}, which saves two days.
> No {town} this time, decided.
? Which place do we leave out on {P}?
? What did we cross off the route of {P}?
~ What fell victim to the shorter plan?
= the longest stage
> The longest day is {number}0 kilometres, on foot the last bit.
> {who} measured it: {number}0 kilometres on day {digit}.
> Day {digit} will hurt, {number}0 kilometres.
? How long is the longest stage of {P}?
? How far do we go on the hardest day of {P}?
~ How much ground do we cover when it is at its worst?
* beds: the hostel|the cabin|the booking|the deposit|the campsite|the host|the room with a view|the cancellation
= where we stay
> We stay at {lodging}, with breakfast.
> {who} booked {lodging} before anybody could object.
> {lodging} had one room left, so I took it.
? Where do we stay on {P}?
? Which accommodation is booked for {P}?
~ Under which roof do we sleep?
= our host
> The host is called {outsider} and picks us up at the pier.
> {outsider} runs it, writes three mails a day, very sweet.
> Keys are with {outsider}, the neighbour.
? Who is our host on {P}?
? Who has the keys for {P}?
~ Who lets us in when we arrive?
= the deposit
> They wanted {amount} in advance, {who} paid.
> The deposit was {amount}, gone if we cancel after {month}.
> I transferred {amount} so that the room is ours.
? How much was the deposit for {P}?
? What did we pay in advance for {P}?
~ What do we lose if we do not show up?
* getting there: the night train|the flight|the seats|the transfer|the timetable|the luggage rules|the rental car|the delay
= how we travel
> We go by {vehicle}, although {who} gets sick.
> No plane. {vehicle}, and two days to read.
> Tickets bought: {vehicle}, leaving at {hour}.
? How do we get to the start of {P}?
? What means of transport do we take for {P}?
~ What carries us there?
= the departure
> We leave on the {nth} of {month}, before dawn.
> Departure {month} {nth}, {who} brings sandwiches.
> The {nth} of {month} it is, all four have the days off.
? When does {P} start?
? On which day do we leave for {P}?
~ On what date do we lock the front door behind us?
= the car
> The car comes from {rental}, with winter tyres.
> {who} reserved at {rental}, cheapest by far.
> {rental} want a credit card in the driver's name.
? Where do we rent the car for {P}?
? Which company do we rent from on {P}?
~ Who gives us four wheels?
* packing: the tent|the boots|the stove|the sleeping bag|the adapter|the rain gear|the first aid kit|the list|the backpack
= missing gear
> Last time we forgot the {gear}, so it is on top of the list.
> {who} buys a new {gear}, ours has a hole.
> The {gear} is still at {who2}'s place.
? Which piece of gear do we still need for {P}?
? What must not be forgotten when packing for {P}?
~ What is missing in our bags?
= the luggage limit
> Ten kilos each, {who} will weigh every bag.
> The limit is {digit} kilos per person, no exceptions.
> I am at {number} kilos and {who} laughs.
? How heavy may the luggage be on {P}?
? What is the weight limit for {P}?
~ How much may each of us carry?
= what we borrow
> {outsider} lends us the {gear}, in exchange for a postcard.
> We get the {gear} from {outsider}.
> No need to buy the {gear}, {outsider} has one.
? Who lends us something for {P}?
? From whom do we borrow gear for {P}?
~ Who is kind enough to let us use theirs?
* papers: the passport|the visa|the insurance|the vaccination|the copies|the consulate|the form|the licence
= an old passport
> {who}'s passport runs out in {month}, of all times.
> Just saw that {who} needs a new passport, the office takes six weeks.
> {who} has to renew the passport before {month}.
? Whose passport expires before {P}?
? Who needs a new passport for {P}?
~ Which of us cannot cross a border at the moment?
= the visa
> The visa takes {number} working days and one ugly photo.
> {who} rang the consulate: {number} working days.
> {number} working days, and they keep the passports meanwhile.
? How long does the visa for {P} take?
? How many days does the consulate need for {P}?
~ How long are they going to sit on our documents?
= the vaccination
> We need the {vaccine} shot, two of them, a month apart.
> {who} insists on {vaccine}, the rest is optional.
> Got the {vaccine} jab today, arm hurts.
? Which vaccination do we need for {P}?
? What did we get vaccinated against for {P}?
~ Against what did we roll up our sleeves?
* on the spot: the market|the guide|the restaurant|the hike|the museum|the boat|the festival|the weather|the souvenir
= the guide
> {outsider} guides us on the second day, speaks four languages.
> We booked {outsider} for the hike.
> {who} met {outsider}, who will show us around.
? Who is our guide on {P}?
? Who shows us around on {P}?
~ Whom do we follow when we have no idea?
= the main sight
> {who} only comes along because of the {sight}.
> The one thing I must see is the {sight}.
> Whatever the weather, we do the {sight}.
? What is the must-see of {P}?
? Which sight do we not want to miss on {P}?
~ What would we never forgive ourselves for missing?
= the table for dinner
> We have a table at {restaurant}, {weekday} at {hour}.
> {who} reserved at {restaurant} four months ahead.
> The last evening we eat at {restaurant}.
? Where do we have a table on {P}?
? In which restaurant do we eat on {P}?
~ Where do we treat ourselves to a proper dinner?

# celebration|party|family do|festivity
& golden wedding|christening|graduation|reunion|housewarming|seventieth birthday|engagement|farewell|jubilee|naming day
@ Family call about {P}.
@ Lists, lists, lists for {P}.
* guests: the guest list|the replies|the seating plan|the cousins|the invitation|the plus ones|the far table|the old neighbours
= the number of guests
> We are {number} now, {who} brings the dog.
> The count stands at {number} and I stop here.
> {who} added two, that makes {number}.
? How many guests come to {P}?
? For how many people is {P} planned?
~ How many of us will there be?
= who sits apart
> {who} and {who2} must not sit together after that {quarrel} business.
> Seat {who} far away from {who2}. Trust me.
> Not at one table: {who} and {who2}.
? Who should not sit together at {P}?
? Which two guests are kept apart at {P}?
~ Which two would ruin the evening side by side?
= a guest who declines
> {outsider} cannot come, the flight from {city} is too long.
> Sad news, {outsider} says no. {who} had hoped so much.
> A card from {outsider}: not this time, but a parcel is on its way.
? Who cannot come to {P}?
? Which guest declined the invitation to {P}?
~ Who will be missed?
* food: the menu|the cake|the caterer|the buffet|the vegetarian dish|the tasting|the wine|the children's table
= the main course
> The main course is {dish}, {who} tasted three times.
> We settled on {dish}, with something green for the young ones.
> {dish} for all, cooked by {who}.
? What is served at {P}?
? Which main course did we choose for {P}?
~ What ends up on everybody's plate?
= the cake
> {who} bakes the cake, {digit} layers with {flavour}.
> The cake will be {flavour}, ordered at the corner.
> {flavour}, because that is what grandmother always made.
? What kind of cake is there at {P}?
? Which flavour does the cake for {P} have?
~ What sweet thing do we cut at midnight?
= the allergy
> {who} must not have {ingredient}, tell the kitchen.
> Attention: {ingredient}! {who2} ended up in hospital last time.
> The caterer knows about {who} and the {ingredient}.
? Which allergy do we have to mind at {P}?
? What must not be in the food at {P}?
~ What has to stay out of the kitchen?
* place: the hall|the garden|the tent|the parking|the stage|the deposit|the chairs|the view|the cloakroom
= the venue
> We have {venue}, reserved in {who}'s name.
> {venue} was free on the day, so we took it.
> In the end {who} liked {venue} best.
? Where does {P} take place?
? Which place did we book for {P}?
~ Where is everybody supposed to go that day?
= the date
> It will be on the {nth} of {month}, when the school holidays start.
> {who} can only come on {month} {nth}, so that is the day.
> Date: {nth} of {month}. Save it.
? On what day is {P}?
? When is {P}?
~ Which date did we settle for so that all can be there?
= bad weather
> If it rains we move to {place}, {who} has asked.
> Plan B is {place}.
> In bad weather: {place}, ten minutes on foot.
? Where do we go with {P} if it rains?
? What is the plan for bad weather at {P}?
~ What do we do in case the sky does not play along?
* music and speeches: the band|the playlist|the speech|the slide show|the first dance|the microphone|the poem|the choir
= the speech
> {who} gives the speech, no longer than {digit} minutes.
> We asked {who} for a few words, and {who2} holds the notes.
> The toast is {who}'s job.
? Who gives the speech at {P}?
? Whose job is the toast at {P}?
~ Who has to stand up and say something moving?
= the band
> {band} play, {who} knew somebody who knew somebody.
> Live music from {band}, from {hour} on.
> {band} are booked and paid.
? Who plays the music at {P}?
? Which band is booked for {P}?
~ Who makes people dance?
= the surprise
> The surprise: {surprise}. Not a word to {who}.
> {who2} organises {surprise} in secret.
> We give them {surprise}, everybody chips in.
? What is the surprise at {P}?
? What is secretly organised for {P}?
~ What are we keeping quiet about?
* gifts and money: the collection|the present|the card|the envelope|the budget|the wrapping|the voucher|the receipt
= the present
> Together we give {present}, {who} collects.
> {who} had the idea of {present}.
> The present is {present}, already in my cupboard.
? What is the present for {P}?
? What do we give together at {P}?
~ What will they unwrap from all of us?
= everybody's share
> Everybody pays {amount}, {who} keeps the list.
> It comes to {amount} a head.
> {amount} each, cash to {who}.
? How much does everybody contribute to {P}?
? What does each of us pay for {P}?
~ How deep does each of us have to reach into the pocket?
= the cash
> {who} keeps the money in a biscuit tin.
> All payments for {P} go through {who}.
> The account is {who}'s, who else would be so exact.
? Who keeps the money for {P}?
? Who is the treasurer of {P}?
~ Whom do we hand the cash to?
* travel and beds: the guest rooms|the shuttle|the train times|the hotel|the sofa|the airport|the map|the late arrivals
= rooms for the guests
> I blocked rooms at {lodging} until {month}.
> The aunts sleep at {lodging}, {who} asked for the quiet side.
> {lodging} gives us a tenth off.
? Where do the guests of {P} sleep?
? In which house did we block rooms for {P}?
~ Where do we put up the ones from far away?
= the chauffeur
> {who} picks up grandmother at {hour}.
> Grandmother comes with {who}, leaving at {hour}.
> {who} drives to the station for grandmother at {hour} and waits under the clock.
? Who picks grandmother up for {P}?
? Who drives to the station for {P}?
~ Who is the chauffeur of our oldest guest?
= the babysitter
> {outsider} minds the little ones in the room upstairs.
> For the children there is {outsider}, with a magician's hat.
> We hired {outsider} so that parents can dance.
? Who looks after the children at {P}?
? Which babysitter is booked for {P}?
~ Who keeps the smallest ones busy?

# course|class|seminar|module
& astronomy|bookkeeping|sign language|weaving|first aid|mushroom|debating|Latin|juggling|navigation|mosaic|genealogy
@ Prepared the next evening of {P}.
@ Chalk on my sleeves after {P}.
* participants: the attendance list|the waiting list|the back row|the introduction round|the group photo|the mailing list|the late arrival|the name tag
= the keenest participant
> The one who always stays behind with questions is {outsider}.
> {who} thinks that {outsider} could stand at the blackboard instead of me.
> {outsider} fills three sheets with notes every time and wants more.
? Who is the most eager pupil in {P}?
? Which participant excels in {P}?
~ Whose enthusiasm puts all the others to shame?
= the size of the group
> We close the list at {number}, the room holds no more chairs.
> {who} let two more in, so now they are {number}.
> {number} have signed up and paid.
? How many people attend {P}?
? How large is the group in {P}?
~ How many faces do we look into there?
= the special needs
> One of them cannot manage without {need}, so I see to that.
> {who} rightly reminded me: {need}, from the very start.
> I promised {need} and must not forget it.
? Which arrangement does a disabled participant of {P} require?
? What do we provide in {P} out of consideration for somebody?
~ What did we say we would lay on so that nobody is excluded?
* lessons: the lesson plan|the warm-up|the handout|the example|the blackboard|the group exercise|the worksheet|the recap|the homework
= the ice-breaker
> We begin with {lessonstart}, because it always gets a laugh.
> {who} would start with {lessonstart}, and so we do.
> The opening night of {P} is given to {lessonstart}.
? What happens in the first lesson of {P}?
? How does {P} get going?
~ How do we make them lose their shyness?
= the unit to rewrite
> Unit {digit} was a disaster, they looked at me like cows.
> {who} sat in and says that unit {digit} goes over everybody's head.
> I have to do unit {digit} all over again, not a soul could follow.
? Which part of {P} is too difficult?
? Where does {P} lose its listeners?
~ At what point do we confuse everybody?
= the outing
> For the outing we go to {excursion}, {who} hires the bus.
> {who} knows the caretaker of {excursion}, who lets us in for nothing.
> I booked {excursion} for all of them, packed lunch included.
? Where does the field trip of {P} lead?
? Which place do we visit with {P}?
~ What do we show them away from their desks?
* teaching material: the textbook|the slide deck|the photocopier|the kit|the sample solution|the reader|the projector|the folder
= the textbook
> We use "{textbook}", second hand, since a new one is a robbery.
> {who} swears by "{textbook}" and has twenty copies in the attic.
> "{textbook}" it is, chapters two to nine.
? Which book is {P} based on?
? What do the students of {P} have to buy and read?
~ What printed work does everybody have to get hold of?
= the missing equipment
> The cupboard was empty, not one {kit} in the whole house.
> {who} will try to get {a:kit} from the school across the road.
> Without {a:kit} I cannot do the practical half of {P}.
? Which equipment does {P} lack?
? What do we still have to borrow for teaching {P}?
~ What is it that we badly need in there and do not have?
= the copies
> The copies came to {smallsum}, {who} nearly fainted.
> I put in for {smallsum}, all of it toner.
> {smallsum} a term for photocopying, approved at last.
? How much is spent on handouts for {P}?
? What do the printed sheets for {P} cost?
~ How expensive is all that paper?
* room and times: the classroom|the timetable|the caretaker|the key|the heating|the half-term break|the room change|the bell
= the room
> We are in {classroom} now, it smells of floor polish.
> {who} swapped with the judo people, so we get {classroom}.
> The caretaker opens {classroom} for us.
? Where is {P} taught?
? Where do the lessons of {P} take place?
~ Where do we stand in front of them?
= the weekly hour
> Every {weekday} at {hour}, and I must be there ten minutes before.
> They moved us to {weekday}s, {hour}, because of the volleyball team.
> It runs on {weekday}s from {hour} onwards.
? When is {P} held each week?
? On which weekday do we teach {P}?
~ At what time do they expect us in class?
= the last lesson
> The term is short: the final session is on {month} {nth}.
> On the {nth} of {month} we meet for the last time, with cheese and wine.
> {who} looked it up, after the {nth} of {month} the building is closed.
? When does {P} finish?
? What is the end date of {P}?
~ Until which day does it go on?
* exam and certificate: the mock test|the answer key|the mark scheme|the certificate|the retake|the register|the appeal|the oral part
= the form of the exam
> Instead of a test they hand in {examform}.
> {who} is against tests, so each of them produces {examform}.
> In the end {examform} will count, nothing else.
? How is {P} assessed?
? What do the students have to do to complete {P}?
~ By what do we judge them?
= the pass mark
> They need {number} points to get through.
> The office insists on {number} points, I would have been kinder.
> {who} and I drew the line at {number} points.
? What is the threshold for passing {P}?
? What score is required in {P}?
~ How well must they do so as not to fail?
= the second examiner
> {who} will sit beside me on the day, with a separate sheet.
> The second signature comes from {who}, {who2} was too soft.
> I asked {who} to take half the pile.
? Who co-examines {P}?
? Which colleague helps with the marking in {P}?
~ Who keeps us fair when we give out grades?
* the school: the programme booklet|the fee|the evaluation form|the contract|the director|the website entry|the tax form|the staff meeting
= my fee
> They transfer {monthsum} for the whole term, which {who} calls a scandal.
> My fee is {monthsum}, in two parts.
> The contract says {monthsum}, travel not included.
? What do we earn with {P}?
? How much does the school give us for {P}?
~ What do we get for all those evenings?
= the complaint
> Somebody wrote to the director because of {coursegripe}.
> The evaluation forms were kind, apart from {coursegripe}.
> {who} had to defend me: three of them are cross about {coursegripe}.
? What did participants criticise about {P}?
? What was the negative feedback on {P}?
~ What were they unhappy with?
= the partner
> From {month} on we run it together with {coursepartner}.
> {who} won {coursepartner} over, they share the advertising.
> {coursepartner} will join in, I signed this morning.
? Which organisation supports {P}?
? Who is the co-host of {P}?
~ Who has thrown in their lot with us?

# garden|allotment|plot|vegetable patch
& canal|hillside|rooftop|schoolyard|churchyard|gravel|walled|terraced|riverside|backyard|station|embankment
@ Came home from {P} with mud up to the knees.
@ Rain all day, so I only thought about {P}.
* sowing: the seed packet|the cold frame|the raised bed|the seedling tray|the sowing calendar|the string line|the row by the fence|the crop rotation
= the main crop
> Most of the space goes to {crop}, {who} has the seeds.
> We plant mainly {crop}, after last year's misery with the cabbages.
> {who} begged for {crop}, so half the beds are full of that.
? What do we grow in {P} more than anything else?
? Which vegetable dominates {P}?
~ What will we be eating all autumn?
= the sowing day
> Into the ground on the {nth} of {month}, not a day earlier.
> {who} goes by the moon: {month} {nth}.
> We start outdoors on {month} {nth}, whatever the weather says.
? On what date do we sow in {P}?
? When do we put the seeds in at {P}?
~ When can the little ones leave the windowsill?
= the failed sowing
> The {failcrop} did not come up at all.
> Not a single leaf of the {failcrop}, {who} blames the packet.
> I dug over the bed with the {failcrop} and tried to forget.
? What refused to grow in {P}?
? Which sowing went wrong in {P}?
~ What never showed its head above the soil?
* soil and water: the water butt|the compost heap|the hose|the soil test|the drainage ditch|the manure|the rain gauge|the well|the sprinkler
= what the soil needs
> The lab advises plenty of {soilneed}, dug in before winter.
> {who} brought eight sacks of {soilneed} for the tired corner.
> What it wants is {soilneed}, and lots of it.
? How do we improve the ground in {P}?
? What do we mix into the earth of {P}?
~ What do we feed the earth with?
= the water
> The water comes from {watersource} now, with a hand pump.
> {who} laid a hose to {watersource}.
> We may draw from {watersource}, two cans a day each.
? How is {P} irrigated?
? What supplies {P} in a drought?
~ Where do we turn when everything is parched?
= the compost rule
> No more {compostban} on the heap, that brings rats.
> {who} fished the {compostban} out of the compost and was not amused.
> I put up a sign: no {compostban}!
? Which waste is banned in {P}?
? What are we not allowed to throw on the pile at {P}?
~ What should never be left to rot there?
* animals: the slug trap|the bird net|the bee hotel|the hedgehog pile|the ant nest|the fox|the nest box|the scarecrow
= the worst pest
> It is the {gardenpest} that eat everything, {who} saw them at dawn.
> All the lettuces gone in one night, thanks to the {gardenpest}.
> {who} sat up with a lamp and now we know: {gardenpest}.
? Which pest troubles {P}?
? What destroys the plants in {P}?
~ Who is the culprit with the big appetite?
= the remedy against pests
> {who} put {remedy} round the stems, and it works.
> The only thing that keeps them off is {remedy}.
> Somebody on the radio recommended {remedy}, so I tried it and they stayed away.
? How do we protect {P} from being eaten?
? What repels the intruders in {P}?
~ What did we find to be a good deterrent?
= the animals we keep
> {who} wants {livestock} behind the shed, the others agreed.
> We are getting {livestock} in {month}, the house for them is half built.
> From spring on there will be {livestock}, which means somebody must come twice a day.
? Which animals will live in {P}?
? What kind of tenants with feathers or fur move into {P}?
~ Whom do we have to feed there before long?
* shed and tools: the padlock|the wheelbarrow|the greenhouse pane|the ladder|the hedge trimmer|the paint tin|the tool rack|the bench|the rusty hinge
= the break-in
> They broke in again and took the {gardentool}.
> The {gardentool} is gone, the lock cut through.
> {who} found the door open and the {gardentool} missing.
? What was stolen from {P}?
? Which item did burglars carry off from {P}?
~ What did those thieves help themselves to?
= the key to the shed
> The key hangs {keyplace}, tell nobody.
> {who} hides the key {keyplace} from now on.
> Found a better spot for the key: {keyplace}.
? How does one get into the shed at {P}?
? Where must I look so as to unlock the hut in {P}?
~ Where do we reach when we stand before the locked hut?
= what we build
> {who} has drawn {gardenbuild} on a napkin and begins on {weekday}.
> We are going to build {gardenbuild}, right where the nettles are.
> A day with the saw: {gardenbuild} is half up.
? What is being constructed in {P}?
? What new structure does {P} get?
~ What do we have to hammer together there?
* rules and neighbours: the waiting list|the inspection|the hedge height|the annual meeting|the rulebook|the neighbour's smoke|the shared path|the work duty|the lease
= the lease
> The lease is {smallsum} a year now.
> {who} paid {smallsum} for all of us until next spring.
> They put it up to {smallsum}, without a word of warning.
? What is the annual rent for {P}?
? How much does {P} cost us?
~ How much do they charge us for that bit of land?
= the warning letter
> We got a letter about {plotfault}, four weeks to mend our ways.
> The inspector wrote down {plotfault}, nothing else.
> {who} opened the envelope: they object to {plotfault}.
? What was {P} reprimanded for?
? Which breach of the rules did they find in {P}?
~ What did we get told off for?
= the holiday weeks
> {outsider} from next door waters while we are away.
> In {month} we can leave in peace, {outsider} has offered to look in.
> I showed {outsider} how the tap works, for the summer weeks.
? Who takes care of {P} in the holidays?
? Which neighbour stands in for us at {P}?
~ Who sees to the thirsty plants in our absence?
* harvest: the crate|the scales|the jam jar|the cellar shelf|the market stall|the cider press|the bunch of herbs|the freezer|the recipe
= the weight of the harvest
> {number} kilos in one weekend, my back is broken.
> {who} put it all on the scales, {number} kilos.
> So far {number} kilos, noted on the door.
? How big is the harvest from {P}?
? How much did {P} yield?
~ How heavy was what we brought in?
= the surplus
> We turn the surplus into {preserve}, {who} has the jars.
> {who} made {preserve} until midnight.
> Thirty jars of {preserve}, and still two baskets left.
? What do we preserve from {P}?
? What becomes of the glut from {P}?
~ What did we cook up so that nothing gets wasted?
= what is given away
> The rest goes to {giveto}, {who} drives over on {weekday}.
> {giveto} can have whatever we do not need.
> A crate a week for {giveto}, that is the deal.
? To whom do we give the produce of {P}?
? Who receives fruit from {P}?
~ Who is glad about what we cannot eat ourselves?

# restoration|overhaul|rebuild|repair job
& tractor|moped|camper van|fire engine|milk float|convertible|ambulance|hearse|scooter|snowplough|delivery van|taxi
@ Oil under the fingernails from {P}.
@ Saturday in the shed, all for {P}.
* engine: the gearbox|the carburettor|the clutch|the starter|the oil leak|the cylinder head|the exhaust|the spark plug|the cooling
= why it would not start
> All because of the {enginebit}, that was the whole secret.
> {who} took it apart twice before looking at the {enginebit}.
> Guilty: the {enginebit}. I cleaned it, it coughed and then it ran.
? What was the fault in the motor of {P}?
? What was broken in the machinery of {P}?
~ What kept it silent for so long?
= the mechanic
> {outsider} does the gearbox, nobody else would touch it.
> The heavy parts are at the house of {outsider} now, two villages on.
> {who} knows a retired fitter, {outsider}, who only asks for cigars.
? Which specialist works on {P}?
? Who repairs the transmission for {P}?
~ Whose skilled hands do we trust with the inside?
= the oil
> It only takes {oil}, {who} learned that the hard way.
> The manual says {oil}, written in pencil in the margin.
> Filled up with {oil} and the smoke was gone.
? Which lubricant does {P} need?
? What keeps the moving parts of {P} from seizing up?
~ What do we have to pour in so that nothing grinds?
* body and paint: the rust|the door panel|the filler|the spray gun|the chrome|the undercoat|the mudguard|the bonnet|the sill
= the worst hole
> In the {bodybit} there is a hole as big as a plate.
> {who} pushed a screwdriver straight through the {bodybit}.
> The {bodybit} is nothing but brown crumbs, it must be welded.
? Where did corrosion eat through in {P}?
? Which part of {P} has rotted away?
~ Where could we put a fist into it?
= the paint
> It becomes {colour}, as it was when it left the factory.
> {who} mixed and mixed until it was {colour}.
> Three coats of {colour}, then polish, then more polish.
? In which shade is {P} sprayed?
? What is the final finish of {P}?
~ What will it look like from afar when it is finished?
= the lettering
> On the side it will say "{lettering}", as in the old photo.
> A sign painter from {city} letters "{lettering}" by hand.
> {who} found traces of "{lettering}" under five layers.
? What inscription does {P} bear?
? Which words are on the outside of {P}?
~ What can be read on its flank?
* spare parts: the breaker's yard|the parcel|the parts list|the replica|the auction|the catalogue|the exchange|the wrong thread|the customs slip
= the part nobody has
> There is not one {rarepart} left in the country.
> {who} has been hunting for {a:rarepart} since {month}.
> Everything is here except for the {rarepart}.
? Which component is impossible to find for {P}?
? What is still missing for {P}?
~ What are we searching for high and low?
= the supplier
> {partsource} sent a crate, everything wrapped in newspaper.
> {who} discovered {partsource}, cash only, bring a torch.
> Most of what we need turned up at {partsource}.
? Where do we buy spares for {P}?
? Which dealer keeps {P} going?
~ Who keeps us in nuts and bolts?
= the wreck for parts
> We bought a second one for {amount}, just to strip it.
> {who} paid {amount} for a wreck to take the bits from.
> A wreck without wheels, {amount}, now standing in the nettles.
? What did the donor vehicle for {P} cost?
? How much was spent on a scrap one for {P}?
~ What did we give for the poor thing that we plunder?
* interior: the upholstery|the dashboard|the carpet|the seat spring|the headlining|the stitching|the horsehair|the glovebox
= the seat covers
> The seats get {seatstuff}, {who} has a cousin with the right machine.
> We chose {seatstuff}, the sample lay on the dashboard for a week.
> {seatstuff}, because the original would cost more than the rest together.
? What is the upholstery of {P} made of?
? Which fabric did we pick for {P}?
~ What will be under our bottoms?
= the find under the seats
> Under the back bench lay {findobj}, covered in dust.
> {who} pulled {findobj} out from under the panel.
> You will not believe it: {findobj}, hidden in the lining.
? What surprising thing was discovered inside {P}?
? What had somebody left behind in {P}?
~ What treasure came to light when we took it to pieces?
= the modern extra
> {who} insists on {modernbit}, where no judge will see it.
> Against all principles we put in {modernbit}.
> One thing will not be original: {modernbit}.
? Which modern feature is built into {P}?
? What concession to the present does {P} have?
~ In which respect did we cheat a little for comfort?
* papers: the registration|the logbook|the inspection|the number plate|the chassis number|the insurance|the historian's letter|the valuation
= the year it was built
> According to the chassis number it left the works in {builtyear}.
> {who} wrote to the archive, and they say {builtyear}.
> {builtyear}! We had always believed it younger.
? How old is the vehicle of {P}?
? What is the vintage of {P}?
~ When did it first see the light of day?
= the previous owner
> Before us it belonged to {exowner}.
> {who} traced the papers back to {exowner}.
> The logbook names {exowner}, which explains the smell.
? Whose was the vehicle of {P} in former times?
? From whom has the vehicle of {P} come down to us?
~ Who drove it around in the old days?
= the inspection
> The inspection is on {month} {nth}, and the brakes still pull to the left.
> {who} got us a slot at the test station on the {nth} of {month}.
> On the {nth} of {month} the engineer comes with his hammer.
? When is {P} examined for the road?
? On which date will {P} be approved or not?
~ When do we find out whether it may drive?
* garage and outings: the lift|the rented bay|the toolbox|the compressor|the rally|the trailer|the club evening|the tarpaulin|the landlord
= where it stands
> We rent a corner in {garageplace}, no heating but a pit.
> {who} persuaded them to let us have {garageplace} until {month}.
> It stands in {garageplace} now, under a tarpaulin.
? Where is {P} kept?
? In which building do we work on {P}?
~ Where do we get our hands dirty?
= the first run
> The first run goes to {outing}, slowly, with a can of water.
> {who} dreams of {outing}, twenty miles at most.
> If all goes well we drive it to {outing} in {month}.
? What is the destination of the maiden voyage in {P}?
? Where do we take {P} once it is roadworthy?
~ Where do we mean to show it off?
= the valuation
> A dealer offered {amount} for it as it stands.
> {who} had it looked at by an expert: {amount}.
> It would bring {amount} today, says the man from the auction, and I say never.
? What is {P} worth?
? How much would somebody pay for the vehicle of {P}?
~ What could we get if we parted with it?

# lawsuit|case|dispute|litigation
& hedge|deposit|boundary|wellhead|roof tile|inheritance|parking|dog bite|copyright|warranty|chimney|footbridge
@ Papers all over the kitchen table because of {P}.
@ Could not sleep for thinking about {P}.
* lawyers: the solicitor|the power of attorney|the retainer|the consultation|the second lawyer|the waiting time|the letterhead|the draft letter
= our lawyers
> {lawfirm} will represent us, {who} knows the junior partner.
> We went with {lawfirm}, who at least answered within a day.
> Power of attorney signed for {lawfirm}.
? Which law office acts for us in {P}?
? Who defends our interests in {P}?
~ Whom did we hire to speak on our behalf?
= the lawyers' retainer
> They charge {monthsum} before anybody lifts a pen.
> {who} asked straight out: {monthsum} in advance.
> A retainer of {monthsum}, transferred today.
? What does legal help cost us in {P}?
? How much did the attorney want for {P}?
~ What is the price of good advice?
= the lawyer against us
> The other side brings {outsider}, who never lost in this town.
> {who} went pale on reading that {outsider} acts for them.
> Against us stands {outsider}, famous for long letters.
? Who is opposing counsel in {P}?
? Which advocate do our opponents have in {P}?
~ Whose clever pleading do we have to fear?
* evidence: the photograph|the receipt|the witness list|the expert report|the diary|the recording|the survey|the old letter|the translation
= the best evidence
> What wins it for us is {evidence}, {who} had kept it all these years.
> {who} found {evidence} in a shoebox!
> The lawyer beamed when {who} pulled out {evidence}.
? What is our best proof in {P}?
? Which piece of evidence decides {P}?
~ With what can we demonstrate that we are right?
= the witness
> {witness} saw everything and is willing to say so.
> {who} has talked to {witness}, who remembers the day exactly.
> Our hopes rest on {witness}, sober or not.
? Who testifies for us in {P}?
? Whom do we call to the stand in {P}?
~ Who happened to be watching when it happened?
= the expert report
> The expert puts it in one line: {finding}.
> {who} read forty pages so that I need not. In short, {finding}.
> {finding}, that is the gist of the report.
? What did the appraiser conclude in {P}?
? What is the upshot of the independent assessment in {P}?
~ What did the specialist with the instruments find out?
* court: the hearing|the summons|the judge|the file number|the courtroom|the adjournment|the clerk|the gallery|the oath
= the hearing
> We have to be there on the {nth} of {month}, in a dark suit.
> The summons says {month} {nth}, nine sharp.
> It was adjourned again, to the {nth} of {month}.
? When does {P} come to court?
? On which date do we appear in {P}?
~ When will we have to face them?
= the judge
> It lies with Judge {surname}, said to be deaf on one side.
> {who} has read about Judge {surname}: strict, fair, fond of sailing.
> They gave it to Judge {surname} after all.
? Who presides over {P}?
? Who will pronounce the ruling in {P}?
~ Who is going to sit up there and decide?
= the courtroom
> Room {digit}0{digit2}, at the end of the corridor.
> {who} went to have a look: it is room {digit}0{digit2}, with a broken clock.
> They moved us to room {digit}0{digit2} because of the scaffolding.
? Behind which door is {P} heard?
? Where in the courthouse does {P} take place?
~ Which door must we knock at that morning?
* the other side: the rude letter|the rumour|the threat|the fence post|the counterclaim|the apology|the brother-in-law|the silence
= what they want
> They want {bigsum} from us, plus interest.
> The letter asks for {bigsum}, within ten days.
> {who} laughed out loud at the figure of {bigsum}.
? What sum do our opponents claim in {P}?
? How much are we supposed to pay in {P}?
~ How much money are they after?
= what they accuse us of
> Now they say that we {accuse}.
> According to their version we {accuse}, {who} was speechless.
> More nonsense, in capital letters: we {accuse}.
? What are we accused of in {P}?
? Which allegation is made against us in {P}?
~ What are we supposed to have done?
= the go-between
> {who} meets them at choir practice and carries messages.
> The only one of us they greet is {who}, so everything goes that way.
> Through {who} we hear what they are really thinking, {who2} is too angry.
? Who has contact with the other party in {P}?
? Which of us communicates with our opponents in {P}?
~ Which of us is still on speaking terms with the enemy?
* settlement: the offer|the draft agreement|the mediator|the compromise|the cooling-off period|the handshake|the wording|the last proposal
= the mediator
> We try it with {mediator} first, one afternoon, tea provided.
> Everybody accepts {mediator}, which is a miracle.
> {who} suggested {mediator} to calm things down, and they nodded.
? Who mediates in {P}?
? Which neutral person helps to settle {P}?
~ Who could bring us all to one table?
= our condition
> We sign nothing without {lawterm}.
> {who} is ready to give way on everything but {lawterm}.
> The one thing on which I will not yield: {lawterm}.
? What is our condition for ending {P}?
? On which point do we insist in {P}?
~ What must be in there for us to shake hands?
= their offer
> They offer {offerdeal} if we drop everything.
> {who} would accept {offerdeal}, I would not.
> On the phone, unofficially: {offerdeal}, and then peace.
? What have our opponents proposed so as to end {P}?
? With what do they try to buy us off in {P}?
~ What would we get if we let the matter rest?
* costs and deadlines: the legal cover|the court fee|the bill|the policy number|the instalment|the legal aid form|the collection|the postmark
= the insurance
> {legalins} agreed to pay, after three phone calls.
> {who} dug out the policy, it is with {legalins}.
> Cover confirmed by {legalins}, in writing.
? Which insurer bears the risk of {P}?
? Which company stands behind us financially in {P}?
~ Who foots the bill should we lose?
= how to raise the money
> To pay for it all {who} sells the {sellthing}.
> The {sellthing} has to go, or we cannot go on.
> I put the {sellthing} in the paper. It hurts, but courts are not cheap.
? What do we part with to finance {P}?
? Which possession is sacrificed for {P}?
~ What precious belonging do we give up for the sake of justice?
= the time left
> We have {number} days to object, counted from the postmark.
> {who} marked it on the calendar: {number} days, then the door is shut.
> {number} days, after that it cannot be contested.
? How long may we appeal in {P}?
? What is the time limit for challenging the decision in {P}?
~ How quickly do we have to react?

# app|program|software|tool
& birdsong|bus stop|recipe|stargazing|houseplant|chess|tide|crossword|bedtime|pollen|flea market|lost cat
@ Late night coding on {P}.
@ Headphones on, and off into {P}.
* code: the login|the database|the refactoring|the test suite|the merge|the branch|the cache|the server|the search
= the programming language
> The whole core is redone in {codelang}, {who} needed only a week.
> {who} talked me into {codelang}, and my laptop is less hot already.
> From version two on everything is {codelang}.
? Which programming language do we use for {P}?
? What is {P} coded in?
~ What do we have to learn so as to tinker with the inside of it?
= the worst bug
> It crashes whenever {bugwhen}, {who} can show it every time.
> The bug is found: it only happens when {bugwhen}.
> {who} proved it on three phones, it freezes as soon as {bugwhen}.
? Under what circumstances does {P} fail?
? What triggers the error in {P}?
~ In what situation does the screen go black?
= where it runs
> It runs on {hostplace} now, {who} pays for the current.
> {who} moved everything to {hostplace} over the weekend.
> The backend lives on {hostplace}, do not laugh.
? Where is {P} hosted?
? Where do the data of {P} lie?
~ On whose hardware does it do its thinking?
* look: the icon|the start screen|the button|the dark mode|the font|the splash animation|the menu|the swipe|the mock-up
= the icon
> The icon will be {iconpic}, {who} drew it in a minute.
> We voted, and {iconpic} beat the rest.
> {who} hates it, but {iconpic} is what sticks in the mind.
? What does the logo of {P} show?
? Which symbol did we choose for {P}?
~ What picture do people tap on?
= the public name
> To the public it will be "{appname}", we are the first with that.
> {who} came up with "{appname}" on the bus.
> "{appname}" was still free as a web address, so I bought it.
? What is {P} called officially?
? Under what title is {P} published?
~ What must strangers type when they look for it?
= the feature we drop
> We drop the {appscreen}, nobody ever opened it.
> {who} is right that the {appscreen} only confuses people.
> Took the {appscreen} out and it feels lighter at once.
? Which feature was removed from {P}?
? What did we get rid of in {P}?
~ What has been thrown overboard to keep it simple?
* users: the survey|the first tester|the one-star review|the support mail|the forum|the newsletter|the interview|the wish list|the screenshot
= the number of testers
> {number} testers so far, half of them relatives.
> {who} handed it to {number} people on the train.
> We stop the trial at {number}, more mails I cannot answer.
? How many volunteers try out {P}?
? How big is the pilot group of {P}?
~ How many guinea pigs do we have?
= the wish list
> Everybody asks for {feature}, it comes first now.
> {who} sorted the mails: {feature}, again and again.
> Next on the list: {feature}, due in {month}.
? What would users of {P} like most?
? Which addition is demanded in {P}?
~ What is it that they all miss?
= the worst review
> The worst review is by {a:reviewer}: "useless".
> {who} wrote back to {a:reviewer} who called it useless.
> One star from {a:reviewer}, and the text is longer than our manual.
? Who left the most scathing comment on {P}?
? Which unhappy user complained about {P}?
~ Who tore us to pieces in public?
* money: the subscription|the donation button|the ad banner|the invoice|the price tier|the tax number|the crowdfunding page|the hosting bill|the voucher
= the price
> It will cost {appprice}, {who} hoped for twice that.
> {who} and I agreed on {appprice}, no ads.
> {appprice}, and free for schools.
? How much do customers pay for {P}?
? What do we charge for {P}?
~ What do we want from everybody who downloads it?
= the investor
> {outsider} comes in and wants a tenth of it.
> {who} had lunch with {outsider}, who believes in it.
> The money for the first year is from {outsider}.
? Who invests in {P}?
? Which backer did we find for {P}?
~ Who is foolish enough to bet on us?
= the first income
> The first income goes into {spendon}.
> As soon as anything comes in we get {spendon}, {who} insists.
> {who} wants to spend it all on {spendon}.
? What is the revenue of {P} used for?
? For what do we set the earnings of {P} aside?
~ What do we treat ourselves to once we are in the black?
* store and law: the store entry|the privacy notice|the rejection|the licence|the trademark|the age rating|the cookie banner|the user agreement|the release note
= the rejection by the store
> Rejected! Because of {storeno}, of all things.
> They object to {storeno}, and we have a week.
> {who} read the refusal three times. It is about {storeno}.
? Why was {P} turned down by the store?
? What did the store find wrong with {P}?
~ What is keeping us off people's telephones?
= the licence
> We release the source under {licence}, {who} checked the fine print.
> {who} would only take part under {licence}.
> {licence}, and no more talk about it.
? How is the code of {P} licensed?
? On which terms may others reuse {P}?
~ On what conditions may copycats help themselves?
= the launch
> It goes live on the {nth} of {month}, quietly.
> {who} pushes the button on {month} {nth}.
> Out for everybody on the {nth} of {month}, that is a promise.
? When is {P} launched?
? What is the publication day of {P}?
~ When can the world finally get hold of it?
* team: the daily stand-up|the ticket board|the laptop|the code review|the chat channel|the hackathon|the password|the documentation|the office
= who does what
> {who} does the interface and {who2} everything that cannot be seen.
> The front is {who}'s business, the back is {who2}'s.
> {who} draws the screens, {who2} feeds the database.
? Who is responsible for which part of {P}?
? How are the tasks divided in {P}?
~ Which of us takes care of which half?
= our office
> We sit at {codeplace}, {weekday}s after work.
> {who} has got us a table at {codeplace}, with enough sockets.
> {codeplace} is our office now.
? Where do we get together to program {P}?
? In what location does the team of {P} gather?
~ Where do we huddle over our laptops?
= the one who leaves
> {who} gives up at the end of {month}, a baby is coming.
> From {month} on we must do without {who}.
> {who} stops in {month} and hands over the passwords.
? Which team member leaves {P}?
? Who quits {P}, and when?
~ Whom are we about to lose?

# film|documentary|movie|picture
& eel|lighthouse|boxer|tango|avalanche|night shift|puppet|ghost town|smuggler|orchestra|snowstorm|barber
@ Watched the rushes of {P}.
@ Long drive, and nothing but {P} on my mind.
* script: the first act|the voice-over|the ending|the flashback|the dialogue|the synopsis|the storyboard|the outline|the last line
= the opening shot
> We open on {shotopen}, no music, ten seconds.
> {who} wants {shotopen} before a single word is said.
> At the very beginning there is {shotopen} now, I can see it already.
? What is the first shot of {P}?
? How does {P} start?
~ What appears when the lights go down?
= the ending
> The last thing we see: {filmend}, and then black.
> {who} cried over the new last page, where {filmend}.
> We rewrote the final scene, so that {filmend}.
? How does {P} conclude?
? What is the outcome of the story in {P}?
~ What becomes of them before the curtain falls?
= the superfluous part
> The {filmrole} is cut, {who} protested in vain.
> We do without the {filmrole}, that was one too many.
> {who} crossed out the {filmrole} from page one to ninety.
? Which character disappeared from {P}?
? Which role did we delete in {P}?
~ Who fell victim to the red pencil?
* cast: the casting|the lead|the extra|the costume|the make-up|the stunt|the contract|the rehearsal|the dialect coach
= the lead
> We have our lead: {outsider}, a complete unknown.
> {outsider} gets the main part, discovered in a cellar theatre.
> {who} wept at the audition of {outsider}, so no more searching.
? Who stars in {P}?
? Who is the protagonist of {P}?
~ Whose face will be on everybody's mind afterwards?
= what they must learn
> Everybody in front of the camera must learn {filmskill}.
> {who} found a teacher for {filmskill}, three weeks must do.
> Nobody in the cast has ever done any {filmskill}, so lessons begin on {weekday}.
? What do the actors of {P} have to practise?
? In what are the performers of {P} being trained?
~ What do we have to drum into them before we can roll?
= the costume
> The {costume} does not fit, {who} sews until morning.
> We need a second {costume}, the first one got wet.
> {who} left the {costume} on the tram!
? Which garment causes trouble in {P}?
? What part of the wardrobe was a problem in {P}?
~ Which bit of clothing drives us mad?
* shooting: the location|the shooting schedule|the permit|the drone|the rain cover|the night shoot|the catering van|the generator|the clapperboard
= the location
> We shoot at {filmplace}, {who} promised the owner a credit.
> {who} drove past {filmplace} and stopped at once.
> {filmplace} is ours for nine days.
? What is the setting of {P}?
? Where do we go with the crew of {P}?
~ Where do we put up the tripods?
= the first day of shooting
> The first clap falls on the {nth} of {month}.
> {who} moved the start to {month} {nth}, because of the tides.
> Everybody on set on the {nth} of {month}, five in the morning.
? When does the filming of {P} begin?
? On which day do the cameras roll for {P}?
~ From when on will we hardly sleep?
= the broken equipment
> The {filmgear} fell into the water, {who} saw it float past.
> No {filmgear} until {weekday}, ours is being mended.
> {who} backed the van over the {filmgear}.
? What equipment got damaged during {P}?
? Which device was ruined in the making of {P}?
~ What did we manage to smash?
* cutting room: the rough cut|the montage|the interview|the subtitle|the colour grading|the hard disk|the archive reel|the sound mix|the trailer
= the length
> It is {runtime} minutes now, and not one of them is dull.
> {who} took out a whole reel, that leaves {runtime} minutes.
> {runtime} minutes, says the broadcaster, credits included.
? How long is {P}?
? What is the running time of {P}?
~ For how long must the audience sit still?
= the cutting
> {who} cuts it, at night, in {who2}'s spare room.
> In the end {who} takes on the scissors.
> We gave all the material to {who}, who has the patience.
? Who edits {P}?
? Who puts the footage of {P} together?
~ Who turns the mountain of snippets into a story?
= the lost day
> Day {digit} is gone, the disk is dead.
> {who} formatted the wrong card, so day {digit} no longer exists.
> We must repeat day {digit}, the files cannot be opened.
? Which footage of {P} is missing?
? What part of the recordings of {P} vanished?
~ Which bit of our work went up in smoke?
* music and sound: the score|the theme|the foley|the dubbing|the silence|the church bell|the licence|the composer|the singer
= the music
> The music is for {instrument} alone, {who} hums it all day.
> {who} was against an orchestra, so now it is all {instrument}.
> One long solo, {instrument}, taped in a stairwell.
? Which instrument do we hear in {P}?
? What plays the soundtrack of {P}?
~ What will accompany our pictures?
= the missing sound
> For the night scene {who} records {filmnoise}.
> Everything is there except {filmnoise}, so out I go with the microphone.
> It works only with {filmnoise} in the background.
? Which noise do we need for {P}?
? What atmosphere is to be captured for {P}?
~ What do we have to go and catch with our ears?
= the narrator
> {narrator} does the commentary, with that voice like gravel.
> {who} brought in {narrator} for the voice-over, two takes and done.
> As a narrator we take {narrator}.
? Who tells the story in {P}?
? Who can be heard off screen in {P}?
~ Who speaks without ever being seen?
* money and release: the grant|the broadcaster|the festival entry|the poster|the distributor|the premiere|the budget|the press screening|the insurance
= the festival
> It is invited to {filmfest}, {who} screamed.
> We send it to {filmfest} first and wait with the rest.
> {filmfest} said yes, in the section for newcomers.
? Where will {P} have its premiere?
? At which festival is {P} shown?
~ Before whose jury do we tremble?
= the hole in the budget
> We are {bigsum} short, {who} writes to another foundation.
> There is a hole of {bigsum} in the plan.
> {who} added it up twice: {bigsum} too little.
? What sum is lacking for {P}?
? How much funding does {P} still need?
~ How far are we from being able to afford it?
= the poster
> The poster shows {posterpic}, very large, hardly any text.
> {who} drew {posterpic} for the poster, and the distributor loves it.
> We argued for two hours, and now it is {posterpic} on yellow.
? What is on the advertisement for {P}?
? Which image is used to promote {P}?
~ What will hang on the walls all over town?

# shop|store|business|boutique
& cheese|puzzle|button|tea|umbrella|map|candle|bicycle|soap|spice|hat|kite
@ Closed the till and sat down over {P}.
@ A quiet afternoon in the back room, thinking about {P}.
* premises: the lease|the window frame|the sign|the back room|the awning|the lock|the shelf|the landlord|the alarm
= the address
> We take the rooms in {street}, {who} likes the big window.
> {who} saw the note on a door in {street}, and an hour later we had shaken hands.
> {street} it is, between the locksmith and the florist.
? Where is {P} located?
? What is the address of {P}?
~ Where do the customers have to go?
= the rent
> They ask {monthsum} a month, heating included.
> {who} got it down to {monthsum}, for the first two years.
> {monthsum} every month, whether anybody comes in or not.
? How much rent do we pay for {P}?
? What do the premises of {P} cost?
~ What does the landlord get from us?
= the sign
> Above the door it will say "{shopname}", gold on black.
> The sign painter has begun: "{shopname}".
> {who} dreamt of "{shopname}" and would not let go.
? By what name does {P} trade?
? What is written over the entrance of {P}?
~ What can passers-by read from across the street?
* goods: the supplier|the delivery|the stock list|the crate|the bestseller|the leftover|the price tag|the sample|the storeroom
= the supplier
> We order from {supplier}, who deliver on {weekday}s.
> {who} tried five and stays with {supplier}.
> From {month} on everything comes from {supplier}.
? Who is the wholesaler for {P}?
? From whom do we buy for {P}?
~ Who fills our shelves?
= the bestseller
> What flies off the shelf is {bestitem}, who would have thought.
> {who} did the sums: half of everything we take is {bestitem}.
> I ordered {bestitem} again, the third time this month.
? What sells best in {P}?
? Which product is most popular at {P}?
~ What can they not get enough of?
= the bad delivery
> {number} boxes arrived broken, {who} took photos.
> The last delivery was a mess: {number} boxes soaked through.
> {who} counted {number} boxes that we can only throw away.
? How much of the goods for {P} was damaged?
? How many parcels were unusable at {P}?
~ How great was the loss when it got here?
* staff: the trainee|the rota|the Saturday help|the apron|the break|the sick note|the job ad|the wage slip|the tip jar
= the new help
> {outsider} starts on {weekday}, learns fast, sings.
> {who} interviewed nine people and took {outsider}.
> We have help at last: {outsider}, mornings only.
? Whom did we employ at {P}?
? Who is the new assistant in {P}?
~ Who stands behind the counter for us now?
= the free day
> {who} has the {weekday}s off from now on.
> {who} no longer works on {weekday}s, it had to be written on the wall.
> On {weekday}s {who} stays at home, {who2} has the keys.
? Which of us is absent from {P} on one day of the week?
? Who does not come to {P}, and when?
~ Who need not turn up, and when?
= the shortfall in the till
> The till is {smallsum} short, {who} counted three times.
> {smallsum} missing on Saturday evening, without any explanation.
> In the books there are {smallsum} that are not in the drawer.
? How much money disappeared at {P}?
? What difference was there in the cash of {P}?
~ What sum could nobody account for?
* customers: the regular|the complaint|the door bell|the loyalty card|the gift wrap|the question|the queue|the guest book|the delivery round
= the opening hours
> Closed on {weekday}s, the other days from {openhour}.
> {who} wants to sleep in, so from {openhour} onwards, and never on {weekday}s.
> The door stays shut on {weekday}s, otherwise we unlock at {openhour}.
? When is {P} open?
? What are the business hours of {P}?
~ At what times can people come in?
= the famous visitor
> {vip} came in and bought one of each.
> Guess who stood in the door: {vip}!
> {who} served {vip} without noticing.
? Which celebrity dropped by at {P}?
? Who was the prominent guest in {P}?
~ Whose presence did we boast about for weeks?
= what they dislike
> They mostly grumble about {shopgripe}.
> {who} heard three people in one morning curse {shopgripe}.
> There is a note in the guest book on {shopgripe}, signed by nine.
? What do customers of {P} complain about?
? What annoys the clients of {P}?
~ What do they hold against us?
* money: the till roll|the ledger|the bank loan|the tax form|the margin|the stocktaking|the insurance|the shoebox|the overdraft
= the best day
> {monthsum} between nine and six, that has never happened.
> {who} rang me at closing time: {monthsum}!
> The Saturday before the fair brought {monthsum}.
? What were the highest takings of {P}?
? How much did {P} earn when it was most successful?
~ How much was in the drawer on that glorious evening?
= the bookkeeping
> The books are with {accountant} from {month} on.
> {who} handed the shoebox with the receipts to {accountant}.
> No more tax forms for me, all that goes to {accountant}.
? Who handles the accounting of {P}?
? Who prepares the annual statement of {P}?
~ Who makes sense of our numbers?
= what we do without
> We can do without {cutcost}, nobody will notice.
> {who} cancelled {cutcost} this morning.
> To get through the winter we save on {cutcost}.
? Where do we cut costs at {P}?
? Which expense did we give up for {P}?
~ On what did we decide to be stingy?
* advertising: the flyer|the sale|the radio spot|the street party|the website|the anniversary|the raffle|the window display|the calendar
= the sale
> In {month} it is {rebate} on everything.
> {who} paints the placards: {rebate}, while it lasts.
> {rebate}, one week, then never again.
? What discount do we give in {P}?
? Which special offer is there at {P}?
~ How much cheaper is it all going to be?
= the window display
> In the window there will be {display}, {who} sets it up tonight.
> {who} has been gluing {display} since Sunday, the children press their noses flat.
> For {month} I want {display} behind the glass.
? What can be seen in the front of {P}?
? How do we decorate {P}?
~ What makes people stop on the pavement?
= the anniversary
> We celebrate on the {nth} of {month}, with a barrel by the door.
> {who} invites the whole street for {month} {nth}.
> The birthday is the {nth} of {month}, I order the balloons.
? When does {P} have its jubilee?
? On what date is the party of {P}?
~ On which day do we raise a glass to ourselves?

# club|association|society|circle
& rowing|fencing|folk dance|model railway|bridge|bowling|climbing|table tennis|Esperanto|beekeeping|hiking|archery
@ Committee night, and {P} took all of it.
@ Stacked the chairs and thought about {P}.
* members: the membership list|the new applicant|the badge|the honorary member|the fee reminder|the youth section|the resignation|the introduction evening
= the membership
> We are down to {number}, {who} blames television.
> {who} read out the list, {number} names, not all of them alive.
> {number} have paid up, the rest exist on paper.
? How many members does {P} have?
? What is the present strength of {P}?
~ How many of us are left?
= the honorary member
> {outsider} becomes an honorary member, applause, flowers.
> {who} proposed {outsider} for life, and all hands went up.
> The certificate is for {outsider}, framed.
? Whose merits does {P} recognise?
? Who gets a lasting distinction from {P}?
~ Who received the highest award we have?
= the one who resigned
> {who} has left after the row over the coffee machine.
> A letter from {who}: resignation, effective at once.
> {who} slammed the door and dropped the badge into my letter box.
? Who walked out of {P}?
? Which of us quit {P}?
~ Who turned their back on the rest of us?
* committee: the agenda|the minutes|the election|the statute|the vote|the treasurer|the casting vote|the motion|the annual meeting
= the chair
> {who} takes the chair, elected with two abstentions.
> We elected {who}, as nobody else raised a hand.
> From {month} on {who} is president, {who2} remains deputy.
? Who heads {P}?
? Who leads the committee of {P}?
~ Who has to bang the gavel?
= the annual meeting
> The annual meeting is on {month} {nth}, with tea and biscuits.
> Invitations go out for the {nth} of {month}.
> {who} reserved the {nth} of {month}, everybody must vote.
? When does {P} hold its general assembly?
? On what date does the whole of {P} come together?
~ On which evening must none of us be missing?
= the motion
> The motion to {motion} was rejected by one vote.
> {who} wants to {motion}, I have rarely heard such shouting.
> We voted for hours on whether to {motion}.
? Which proposal split {P}?
? What was the most controversial item in {P}?
~ What did we nearly come to blows about?
* clubhouse: the roof|the bar|the changing room|the key box|the boiler|the trophy cabinet|the noticeboard|the parking space|the piano
= where we meet
> From {month} on we meet in {clubplace}, {who} knows the owner.
> They are tearing the old house down, so {clubplace} it is.
> {clubplace} takes us in, free of charge but without heating.
? What are the new premises of {P}?
? Where does {P} have its home now?
~ Under what roof do we gather these days?
= the repair
> The {clubfix} has given up the ghost, {who} asks for quotes.
> Urgent: the {clubfix}, before the first frost.
> {who} patched the {clubfix} with tape, but it is done for.
? What needs mending at {P}?
? What is out of order in the house of {P}?
~ What can we no longer put off replacing?
= the bar
> {who} will supply {barthing} from now on.
> New at the counter: {barthing}, made by {who}.
> There is {barthing} now, first round on {who}.
? What can one order at the bar of {P}?
? Which refreshment is offered at {P}?
~ What keeps our spirits up afterwards?
* contests: the fixture list|the away day|the captain|the trophy|the training|the league table|the kit|the referee|the minibus
= the rival
> It is {rivalclub} again in the final.
> {who} still smarts from losing to {rivalclub}.
> Drawn against {rivalclub}, at their place, with their referee.
? Who are the opponents of {P}?
? With whom does {P} compete?
~ Whom do we have to beat this time?
= the prize
> We won {clubprize}, {who} carried it home on the handlebars.
> First place, and all they gave us was {clubprize}.
> {clubprize} now stands in the cabinet.
? Which award did {P} receive?
? What did {P} get for its victory?
~ What was the reward for our efforts?
= the kit
> {who} ordered shirts in {colour}, with {a:colour2} stripe.
> The new kit is {colour}, the sleeves {colour2}.
> It will be {colour} and {colour2}, by a narrow majority.
? What does {P} wear?
? What does the uniform of {P} look like?
~ How are we going to be dressed?
* finances: the fee|the sponsor|the cash box|the raffle|the donation|the audit|the subsidy|the bank card|the spreadsheet
= the yearly fee
> {smallsum} a year from now on, half for students.
> The fee goes up to {smallsum}, {who} expects tears.
> {who} and I worked it out: with {smallsum} from each we survive.
? How much is the membership subscription of {P}?
? What does it cost to belong to {P}?
~ What do all of us owe the cash box?
= the sponsor
> {firm} pays for the shirts, in return for the name on the back.
> {who} got {firm} to chip in, for a banner at the entrance.
> Our sponsor is {firm} now, for three years.
? Who supports {P} financially?
? Which company gives money to {P}?
~ For whom are we a walking advertisement?
= the fundraiser
> To fill the cash box we hold {fundraiser} in {month}.
> {who} organises {fundraiser}, last time it brought a fortune.
> All hands on deck for {fundraiser}, every cent goes into the roof.
? How does {P} raise money?
? What do we do to improve the finances of {P}?
~ How do we earn a little extra?
* outings and feasts: the summer fête|the coach|the programme|the group photo|the evening walk|the singing|the picnic|the guest speaker|the Christmas dinner
= the day trip
> This year's trip goes to {clubtrip}, by coach.
> {who} suggested {clubtrip}, and for once all agreed.
> {clubtrip} in {month}, forty seats, first come first served.
? What is the destination of the annual excursion of {P}?
? Where do we travel with {P}?
~ Where are we all off to for a change of scene?
= the guest speaker
> The guest in {month} speaks about {talktopic}.
> {who} has invited somebody to tell us about {talktopic}, with slides.
> An evening on {talktopic}, and the room was full.
? What is the lecture at {P} about?
? Which subject does the visitor to {P} present?
~ What are we going to learn from the stranger with the projector?
= the summer fête
> In the middle of the speeches {mishap}, {who} saved what could be saved.
> It will be remembered as the year when {mishap}.
> Nobody was hurt when {mishap}, but {who} still trembles.
? What disturbed the celebration of {P}?
? Which mishap occurred at the feast of {P}?
~ What disaster will they laugh about for ages to come?
"""

FRAMES = """
Spent {span} on {thing} and {outcome}.
{who} thinks {thing} is {mood}.
{who} and I went over {thing} again; {outcome}.
Still open: {thing}.
For {thing} I need {span} of peace.
I asked {who} about {thing}, answer expected on {weekday}.
{thing}: {outcome}.
Reminder to look at {thing} before {weekday}.
{who2} sent a long message about {thing}, most of it {mood}.
I keep postponing {thing}, and it does not get better by itself.
We talked about {thing} for {span} without deciding anything.
Somebody has to take care of {thing}, and I fear it is me.
{who} promised to have another look at {thing} by {weekday}.
{thing} turned out to be {mood}.
It bothers me that nobody but {who} understands {thing}.
There is a new version of {thing}, and {outcome}.
I would rather finish {thing} before touching {thing2}.
{who} would start with {thing2}, I would start with {thing}.
After {thing} comes {thing2}, in that order.
Photos of {thing} are in the shared folder.
I dreamt about {thing}, that is how far it has come.
{who} was in a bad mood because of {thing}.
{who2} laughed about {thing}, which helped.
Good news about {thing}: {outcome}.
Bad news about {thing}: {outcome}.
{thing} again. I wrote down three questions for {who}.
Could not reach {who} about {thing}.
I owe {who} an answer on {thing}.
{who} prefers to discuss {thing} on the phone.
We keep going round in circles over {thing}.
My feeling is that {thing} will be {mood} in the end.
What {who} said about {thing} makes sense to me.
{thing} can wait until {weekday}, {thing2} cannot.
I made a list for {thing} and lost it.
Two steps forward with {thing}, one back.
Nothing new on {thing}.
According to {who}, {thing} needs {span} more.
There was a misunderstanding between {who} and {who2} about {thing}.
I put {thing} on the agenda for {weekday}.
Compared to last month {thing} looks {mood}.
We should have dealt with {thing} in {month}.
{who} found an old note of mine about {thing}, quite {mood}.
I cannot say that I enjoy {thing}.
Finally some progress: {thing} is {mood} now.
{who2} asks whether {thing} is really necessary.
""".strip().splitlines()
"""What is said on a facet without settling anything."""

OPENERS = {
    "code": "Again {N}.|{N} took up my morning.|A few lines on {N}.|{N} first.|Did some work on {N}.|News on {N}.|On {N}:|{N}, what else.|Thinking about {N} on the way home.|{who} rang about {N}.",
    "title": "{N} again.|A few lines on {N}.|I worked on {N} for {span}.|{who} asked me about {N}.|On {N}:|Back to {N}.|Some thoughts on {N}.|Where {N} stands:",
    "person": "Talked to {N}.|Met {N} on the stairs.|{N} came by.|A call with {N}.|Lunch with {N}.|{N} wrote last night.|Sat together with {N} for {span}.|{N} is back and full of ideas.",
    "none": "Some more on this.|Next point.|One more thing.|Later the same day.|And then there is this.|Continued.|What I forgot earlier.|Same matter, new page.|To go on:",
}
"""How a chunk begins, by what it calls its project."""

LINKS = (
    "For the record: from now on {title} goes by the name of {code}. {who} and {who2} are in on it.",
    "We needed something shorter to say. {title} is simply {code} from today, {who}'s idea.",
    "{code} is what we call {title} among ourselves, ever since {who} made that joke.",
    "New folder: {code}. Everything about {title} goes there. People: {who}, {who2}, {who3}.",
)
KIN = (
    "By the way, {who}, who does {title} with me, is {friend}'s {relation}. Small world.",
    "It took me weeks to notice that {who} is the {relation} of {friend}. We work on {title} together.",
    "{friend} rang. I had no idea that {who} is her {relation}, the same {who} I see about {title}!",
)
RELATIONS = "mother|brother|sister|father-in-law|neighbour|old teacher|cousin|boss|landlady|godfather|flatmate|tennis partner|aunt|dentist|nephew"

STATUS_SAY = (
    "Stopping here for today: {thing} is done, next comes {thing2}.",
    "That is it for this week. {thing} is off the table, {who} continues with {thing2}.",
    "I leave it at this: {thing} half finished, and {thing2} waits for {who}.",
    "Enough. On the next occasion we begin with {thing2}, because {thing} is with {who}.",
)
STATUS_ASK = (
    "Where did we leave off?",
    "Can you remind me how far we got last time?",
    "What was the next step again?",
    "Let us carry on. Where were we?",
    "Where had we stopped with ours?",
    "So what was left for us to do after our last session?",
)

LEADS = {
    "pronoun": "{A}|Remind me: {a}|Another one: {a}|Back to what we are doing. {A}|Tell me again, {a}|Quick question. {A}",
    "talk": "Can we talk about {L} for {R}?|What do we have on {L} for {R}?|{L} for {R}: {a}|About {R}, and {L} in particular. {A}|Where do we stand with {L} for {R}?|I have to think about {L} for {R} again. {A}",
    "pronoun talk": "Can we talk about {L}?|Where do we stand with {L}?|What do we have on {L} for {R}?|About {L}: where were we?|Back to {L}, for {R}.",
    "direct": "{Q}|Remind me: {q}|Quick question: {q}|Quick one. {Q}|{Q} It must be somewhere.|I forgot. {Q}",
}

SUBJECTS = "Re: {thing}|{thing}|a question|short update|Re: Re: {thing}|tomorrow|{weekday}|before I forget|your message|news"
CLOSINGS = "Best,|Cheers,|Love,|Yours,|Talk soon,|All the best,|See you on {weekday},|Warmly,"
MAIL_EXTRA = "I hope that you are well.|Sorry for the late reply.|Thanks for your patience.|Let me know what you think.|No hurry with this.|Please keep this between us for now.|I am on the train, so forgive the typos.|Say hello to everybody from me.|I will ring you on {weekday}.|More when I am back from {city}."
ASKS = "What do you make of this?|Can you help me think about {thing}?|How would you go on?|Please keep that in mind.|Could you sum this up?|Is there anything I overlook?|Make a note of it, would you?|What should I ask {who}?"
ANSWERS = "Noted. I will bring it up when {thing} is next on the table.|That sounds reasonable, and I would write {thing} down before {weekday}.|I have it. Do you want me to draft a message to {who} about {thing}?|Understood. From what you told me, {thing} seems to be the sticking point.|Good to know. Last time you were worried about {thing}.|Thank you for the update. It may be worth asking {who} about {thing2} as well.|I would separate the two matters: {thing} first, and {thing2} afterwards.|It might help to ask {who} for a date, so that {thing} does not drag on."

OTHERS = "{friend}, a colleague,|My cousin {friend}|{friend} from the gym|Our neighbour {friend}|{friend}, whom I know from school,|{friend} next door|An acquaintance of mine, {friend},|My sister-in-law {friend}"
OTHERS_SAY = (
    "{O} told me all about {T}.",
    "{O} is busy with {T}, and I had to listen for {span}.",
    "Long message from somebody else's world: {O} and {T}.",
    "{O} forwarded this about {T}.",
)
"""Other people have projects of the same kinds, and tell the same things of them."""

SETTLED = (
    "Decided on {L}: {s}",
    "{L} is settled. {s}",
    "For the record, {L}: {s}",
    "{L}: {s}",
    "On {L}: {s}",
    "As to {L}: {s}",
    "There is news about {L}. {s}",
    "{L}, finally. {s}",
    "{s} So much for {L}.",
    "Decided: {s}",
    "{s}",
)
"""How a statement may be marked as one, and what it is about (``{L}``)."""

EARLY = (
    "An idea from the beginning that we have dropped since: {s}",
    "At first the plan was different, though that is off. Back then I wrote: {s}",
    "Crossed out in the meantime: {s}",
    "This was the old state and no longer holds: {s}",
)
"""What was once thought of and no longer holds."""

NEWSLETTERS = (
    "{firm} newsletter, {month}. This time: {n}, {n2} and {n3}. Our readers' favourite of the last issue was {n2}. Unsubscribe at the bottom of this page.",
    "Special offer until {weekday}! {n} at half the price, {n2} while stocks last, and with every order {n3} for free. {firm} thanks you for your loyalty.",
    "Your weekly digest: an interview about {n}, ten mistakes people make with {n2}, and a reader from {city} on {n3}. This digest is brought to you by {firm}.",
    "Dear customer, your order {nth}{nth2}-{digit} from {firm} has left the warehouse and should arrive on {weekday}. It contains {n}. Do you also need {n2}?",
    "{firm} invites you to an evening on {n} in {city}, {weekday} at {hour}. Speakers will also touch on {n2}. Admission is free, please register.",
)
ADMIN = (
    "Shopping: {flavour}, {ingredient}, batteries, something for {weekday} evening. Library books are due.",
    "Paid {amount} to {firm}. Password changed. The car needs a service before {month}.",
    "Dentist on {weekday} at {hour}. Call {person} back. Water the plants on the stairs.",
    "Slept badly, walked to the river, {highlight2}. Cooked {dish} and read until late.",
    "{weekday}: {hour} haircut, then {person}'s birthday drinks. Bring {present}.",
    "Voice memo, transcribed: so I was thinking, maybe in {month} we could go and see {person} in {city}, just the two of us, and take {present} along, remind me to ask.",
    "Receipt: {firm}, {city}. {dish} 2x, water 1x, total {amount}. Paid by card.",
    "The bus was late again and I finished the novel about {ntopic}. Not bad, a bit long in the middle. {person} will like it.",
    "Meter readings: electricity {nth}{nth2}{digit}, water {digit2}{nth}. The landlord wants them by {weekday}.",
    "Ran {digit} kilometres along the canal. Knee fine, mood better. It was {weather}.",
)

WORDS = {
    "control": "untreated plots|a placebo group|simulated data|the older instrument|a second species|winter samples|a blind rater|published values|a linear model|synthetic spectra",
    "journal": "Annals of Field Science|the Nordic Review|Open Letters|Proceedings B|Methods Quarterly|the Baltic Journal|Frontier Notes|Acta Minor|Transactions of the Society|the Monthly Bulletin",
    "tool": "Inkscape|R|Matplotlib|Blender|Illustrator|TikZ|Veusz|gnuplot|D3",
    "device": "thermometer|balance|spectrometer|microphone|tide gauge|pump|laser|stopwatch|humidity sensor|camera trap",
    "archive": "Zenodo|Dryad|the university vault|Figshare|the national archive|an OSF page|Dataverse|PANGAEA",
    "paptitle": "Small Doors|What the Shore Remembers|Against the Average|A Slower Clock|Thresholds without Edges|The Quiet Half|Counting What Moves|Five Winters|Borrowed Light|How Far Is Near|On Being Late|Residue and Rumour",
    "section": "the historical background|the toy model|the survey|the second case study|the ethical questions|the long proof|the comparison with fish|policy advice|the weather data",
    "fund": "travel grant|start-up money|teaching prize|foundation account|reserve of the institute|society award|leftover project money",
    "amount": "120 euros|340 euros|480 euros|650 euros|890 euros|1,150 euros|1,400 euros|2,300 euros|3,750 euros|5,200 euros|7,900 euros|12,500 euros|18,000 euros|31,000 euros",
    "digit": "1|2|3|4|5|6|7|8|9",
    "nth": "2nd|3rd|4th|6th|7th|9th|11th|12th|14th|16th|18th|19th|21st|23rd|25th|27th|28th",
    "hour": "half past seven|nine|ten to ten|noon|a quarter past one|three|half past four|six in the evening|eight at night",
    "outsider": "Agathe Brink|Bodo Lamm|Cora Finch|Dimas Roca|Edda Storm|Fedor Klimt|Gesa Voss|Henk Dolan|Ilva Torres|Joost Marten|Karin Quist|Lazlo Ferenc|Minna Sorel|Norbert Heath|Orla Pike|Piet Hauser|Quirin Moll|Ruth Anders|Sami Okoye|Tilda Braun|Udo Castell|Vilma Reyes|Waldo Stein|Xenia Prat|Ylva Norden|Zeno Marchetti",
    "surname": "Albrecht|Bellini|Castro|Dahl|Eriksen|Fontana|Grewal|Holm|Ivanova|Jansen|Keller|Lindqvist|Moreau|Novak|Okafor|Petrov|Rahman|Santos|Takeda|Vidal",
    "nuisance": "noise|old chestnut tree|morning light|drain|view of the church|party wall|swallows' nests|parking spaces",
    "firm": "Hobel & Sons|Brightwater|the Nail Collective|Ostrander|Marl and Hale|Two Levels|Cobalt Works|Fennimore|Gable & Green|Lindqvist Brothers|Redstart|Tannery Lane|Voltaire & Co.|Westwind",
    "floor": "oiled oak|cork|black slate|linoleum|reclaimed pine|terrazzo|bamboo|grey concrete|hexagonal tiles|larch boards",
    "insul": "wood fibre|hemp|sheep's wool|cellulose|rock wool|cork panels|straw",
    "pipe": "overflow of the bath|joint behind the toilet|garden pipe|rainwater downpipe|dishwasher hose|heating return|old lead pipe|condensation drain",
    "heating": "a heat pump|underfloor heating|a tiled stove|infrared panels|skirting heaters|a pellet stove|warm air ducts",
    "bank": "the savings bank|Nordkap Bank|the credit union|Ethika|Union Trust|the farmers' bank|Meridian|the building society",
    "grantfor": "triple glazing|the solar panels|barrier-free doors|the green roof|roof insulation|the rainwater tank|removing asbestos|a charging point",
    "furniture": "corner bench|bookcase|staircase|fold-down desk|bunk bed|kitchen island|sliding door|wine rack",
    "shop": "a flea market in the old slaughterhouse|the ship breaker's|Lumen & Son|a museum shop|the church bazaar|an online auction|the theatre's stock sale|Tante Emma's attic",
    "oldthing": "enamel sink|front door|iron stove|ceiling beam|claw-foot tub|carpenter's bench|church pew|letter box",
    "clause": "liability|the holidays|exclusive rights|late payment|data storage|the right to sue in Malta|unpaid corrections|travel time",
    "postjob": "head of purchasing|night porter|chief accountant|founder's daughter|union rep|head of IT|artistic director|plant manager",
    "dislike": "slides|jargon|phone calls|surprises|small talk|being copied in|red ink|late changes|first names",
    "deliver": "a booking page|the stock list|staff training|the opening-hours sign|a price calculator|the newsletter template|the visitor app|the audit report|a floor plan",
    "language": "Polish|Turkish|Finnish|Arabic|Vietnamese|Portuguese|Welsh|Ukrainian|Danish|Tamil",
    "techbit": "expired certificate|time zone setting|full disk|cable in the cellar|wrong decimal comma|old printer driver|duplicate customer number|leap day|spam filter",
    "amends": "two days of training|a year of support|the second logo|a new handbook|three hours a week until summer|the translation|a free audit",
    "venue": "the old customs house|the boat club|Café Mirador|the planetarium|the fire station|the botanical garden|the town library|the sailors' chapel|the ice rink|Villa Rosen|the railway depot|the cider barn",
    "song": "Seven Gates|Paper Moon Hotel|The Cartographer|Don't Wake the River|Half a Mile of Snow|Oh, Marguerite|Blue Ladder|Kitchen Light|The Ferryman's Daughter|Low Tide Waltz|Telegraph Hill|Ash and Apricot",
    "key": "D minor|E flat|B major|F sharp minor|A flat|G minor|C sharp|B flat minor",
    "studio": "the Salt Cellar|Room Nine|the deconsecrated church|Pinewood Tapes|the Barge|Echo Yard|Hall Seven|the Lighthouse",
    "part": "backing vocals|hand claps|trumpet lines|acoustic guitars|bass parts|strings|drums of the second half|piano intros",
    "quarrel": "the tempo|money for the van|a text message|who speaks on stage|the smoking|a borrowed amplifier|the inheritance|politics|a parking ticket",
    "place": "the parish hall|an old bunker|the school gym|the garage of the fire brigade|the greenhouse|the cellar of the pharmacy|the barn up the hill|the canteen|the bowling alley",
    "coverpic": "a burning piano|two herons|an empty swimming pool|a hand with seven rings|the moon over a car park|a folded map|a goat on a roof|a red telephone|a train of ants",
    "label": "Moth Records|Tidal Wax|Little Anvil|North Pier|Sundown Union|Ember & Oak|Quiet Riot Press|Polka Dot Discs",
    "opinion": "no operation is needed|we should wait half a year|it comes from the jaw|it is a matter of the posture|there is an old fracture|it is harmless|another scan has to be made|surgery is the only way",
    "drug": "Velaxin|Tormidol|Caprisan|Norvelin|Lumetrex|Astibal|Pexoril|Zandopan|Quellamine|Fermadon",
    "sideeffect": "everything tastes of metal|I cannot sleep before three|my hands tingle|I am hungry all the time|my mouth is as dry as paper|I dream in colours|my ankles swell|I forget names",
    "badfood": "grapefruit|blue cheese|red wine|liquorice|spinach|coffee|milk|smoked fish|dark chocolate",
    "exercise": "the bridge with one leg up|standing on a cushion|the slow squat|rolling the foot over a ball|humming with closed lips|the door-frame stretch|looking at a thumb|walking backwards",
    "goal": "climb the church tower|dance at the wedding|carry the shopping home|sleep through the night|swim across the lake|sit through an opera|hear the birds again|ride the bicycle to work",
    "aid": "the special insoles|a standing desk|the night splint|an infrared lamp|the new hearing device|a wedge pillow|acupuncture|the rowing machine|tinted glasses",
    "bring": "vaccination card|slippers with a closed heel|blue folder|earplugs|old X-rays|list of tablets|charger|own pillow",
    "trigger": "cold wind|long train rides|red wine|skipped breakfasts|bright screens|thunderstorms|quarrels|the smell of paint|tight shoes",
    "town": "Varnholm|Castel Mora|Port Ellery|Sant'Agnes|Kolmar|Ribeira Funda|Upper Tarn|Osgaard|Lake Mirren|Dunmore|Pietra Alta|Hoshino|Bel Abbas|Grindavel|Teo",
    "lodging": "the Blue Heron|Pension Edelweiss|the old lighthouse|Hotel Meridiano|the mission house|Casa Lupe|the Captain's Rest|the monastery|the Station Inn|Haus Waldblick",
    "vehicle": "night train|cargo ship|a borrowed camper van|the long-distance coach|motorbike and sidecar|ferry|bicycle and train",
    "rental": "Blitz Cars|Island Wheels|Karlsson|Autohaus Nord|Rent-a-Wreck|Sole Mobil|Green Drive",
    "gear": "gas stove|tent pole|water filter|bear bell|head torch|sleeping mat|dry bag|ice axe|mosquito net|binoculars",
    "vaccine": "typhoid|rabies|yellow fever|hepatitis|tick-borne encephalitis|cholera|polio",
    "sight": "blue ice cave|floating market|abandoned cinema|puffin cliffs|painted monastery|salt mine|drowned village|volcano at dawn|organ of the cathedral",
    "restaurant": "Da Ernesto|the Salt Table|Ostra|the Red Pepper|Mama Dudu's|the Fisherman's Wife|Kaiseki Nine|the Last Stop",
    "flavour": "walnut|lemon curd|poppy seed|sour cherry|pistachio|chestnut|coffee cream|elderflower|carrot",
    "surprise": "a brass band at breakfast|a film of old photographs|fireworks over the lake|a hot-air balloon|the old car, repaired|a letter from Canada|a choir in the staircase|a tree with a sign",
    "smallsum": "24 euros|36 euros|48 euros|55 euros|62 euros|75 euros|88 euros|94 euros|110 euros|125 euros|140 euros|165 euros",
    "monthsum": "310 euros|420 euros|540 euros|680 euros|720 euros|850 euros|960 euros|1,080 euros|1,250 euros|1,380 euros|1,600 euros",
    "bigsum": "8,000 euros|11,500 euros|14,000 euros|17,500 euros|22,000 euros|26,000 euros|33,000 euros|38,500 euros|45,000 euros|60,000 euros",
    "openhour": "eight|half past eight|nine|a quarter past nine|half past nine|ten|half past ten|eleven|noon",
    "need": "large print|a ramp|a hearing loop|a seat near the door|a chair with arms|subtitles|a sign interpreter|a place for the guide dog|a break every half hour|instructions in writing",
    "lessonstart": "a quiz|a blindfold game|a walk round the block|a box of curiosities|an old newspaper|a silent film|ten common mistakes|a ghost story|a drawing contest|a song",
    "excursion": "the old observatory|the salt works|the paper mill|the harbour museum|the monastery library|the glassworks|the quarry|the radio station|the mint|the weather station",
    "textbook": "Step by Step|The Patient Beginner|A First Ladder|Plain Answers|Hands and Heads|From Scratch|Ask Twice|Know-How for Everyone|The Green Primer|No Fear of Anything",
    "kit": "document camera|flip chart|loudspeaker|paper cutter|large mirror|microscope|globe|laminator|overhead projector|folding table",
    "classroom": "room 14|the chemistry lab|the old gym|the music room|the chapel annexe|the basement studio|room 207|the school kitchen|the reading room|the portakabin|the assembly hall",
    "examform": "a portfolio|a two-page essay|a poster|a short video|a diary of ten weeks|an oral report|a cardboard model|a group presentation|a recorded interview|a set of twenty cards",
    "coursegripe": "my handwriting|the cold room|the pace|the homework|the jokes|the hard chairs|the noise from the gym|the late start|the group work|the smell of lunch",
    "coursepartner": "the public library|the women's institute|the trade union|the youth hostel|the refugee council|the parish|the chamber of crafts|the retirement home|the radio club|the town museum",
    "crop": "pumpkins|broad beans|leeks|beetroot|purple potatoes|kale|artichokes|sweetcorn|parsnips|chard|celeriac|shallots",
    "failcrop": "spinach|coriander|fennel|lamb's lettuce|dill|okra|parsley|rocket|chervil|asparagus",
    "soilneed": "lime|sand|horse manure|bone meal|leaf mould|wood ash|seaweed|rock dust|clay|hoof and horn",
    "watersource": "the old well|the neighbour's roof|the stream|the cemetery tap|the fire pond|a buried cistern|the canal lock|the laundry drain|the horse trough|the spring behind the chapel",
    "compostban": "cooked rice|orange peel|bread|tea bags|cheese rinds|rhubarb leaves|chicken bones|cut thistles|newspaper|nut shells",
    "gardenpest": "voles|roe deer|wood pigeons|leek moths|cabbage whites|flea beetles|rabbits|rats|wild boars|crows",
    "remedy": "crushed oyster shells|pellets of wool|human hair|old CDs on strings|fir twigs|garlic cloves|wood shavings|chilli powder|copper tape|lavender cuttings|broken slates",
    "livestock": "three ducks|two hives of bees|a pair of goats|six quails|four hens|five guinea fowl|two dwarf sheep|a few bantams|two turkeys|three geese",
    "gardentool": "petrol mower|chainsaw|rotavator|copper kettle|brass tap|wood chipper|good spade|generator|strimmer|cast-iron stove|hammock",
    "keyplace": "under the third slab|inside the clay frog|behind the gutter|in the broken pot|on a nail under the bench|in the bird box|beneath the rain barrel|in an old boot|on top of the door frame|inside the hollow log",
    "gardenbuild": "a pergola|a greenhouse|a bread oven|a tree house|a bean tunnel|a compost toilet|a sundial|a wooden terrace|a dovecote|a gazebo",
    "plotfault": "the hedge|the satellite dish|the nettles|the bonfire|the plastic chairs|the tall birch|the loud music|the paddling pool|the weeds on the path|the barbed wire",
    "preserve": "green tomato chutney|quince jelly|piccalilli|plum butter|elder syrup|apple vinegar|rosehip jam|nettle pesto|blackberry cordial|pickled cucumbers",
    "giveto": "the soup kitchen|the kindergarten|the convent|the fire crew|the old people's home|the night shelter|the pub on the corner|the school canteen|the petting zoo|the lifeboat station",
    "enginebit": "ignition coil|fuel pump|head gasket|condenser|valve spring|fuel line|magneto|earth strap|float needle|distributor cap|flywheel key|choke cable",
    "oil": "SAE 30|straight 40 weight|castor oil|SAE 20|hypoid 90|two-stroke mix|10W-60|chainsaw oil|mineral 50|rapeseed oil",
    "bodybit": "left sill|floor pan|battery tray|tailgate|rear wheel arch|front bulkhead|spare wheel well|roof gutter|engine mount|running board|fuel tank",
    "lettering": "Sommer Dairy|Volunteers|The Flying Goose|Porter & Daughters|Municipal Works|Sunshine Laundry|Old Faithful|Property of the Parish|Alpine Ices|Mermaid|Express Parcels|Lucky Penny",
    "rarepart": "speedometer|hubcap|steering wheel|fuel cap|tail lamp|wiper motor|door handle|horn|radiator grille|rear axle|window crank|bumper",
    "partsource": "Hinkley's yard|the widow Brandt's barn|Bolz & Sons|the Oldtimer Exchange|Ferro Antico|the closed bus depot|Pre-War Components|Garage Lemaire|Tin Lizzie Traders|Kowalczyk Metals|the army surplus",
    "seatstuff": "red leather|grey corduroy|green tartan|brown moquette|black oilcloth|cream vinyl|blue velvet|striped deckchair cloth|buffalo hide|orange plaid|old flour sacks",
    "findobj": "a love letter|a wooden leg|a silver spoon|a pair of opera glasses|a bus ticket from 1958|a baby's shoe|a rosary|a roll of banknotes|a tin of snuff|a glass eye|a set of false teeth|a mouth organ",
    "modernbit": "seat belts|a heated seat|a cup holder|an electric fan|a USB socket|LED lamps|an alternator|power steering|a rear camera|central locking|disc brakes",
    "builtyear": "1931|1937|1948|1952|1955|1959|1961|1964|1966|1969|1972",
    "exowner": "a circus|a country vet|the bishop|a travelling dentist|a mining company|a coal merchant|the postmistress|a lighthouse crew|a bride's father|a brass band|an undertaker|a cheese maker",
    "garageplace": "the old dairy|the tram shed|the farmer's barn|the disused brickworks|the boathouse|the former chapel|the sawmill|the potato cellar|the goods station|the empty hangar|the blacksmith's yard",
    "outing": "the harvest fair|the seaside|the steam rally|my sister's vineyard|the ice-cream parlour|the hill climb|the veterans' meeting|the lake|the village fête|the airfield|the ploughing match",
    "lawfirm": "Abel & Strand|Corvin Partners|Haldane Legal|Pruitt and Wong|the chambers in Mill Lane|Okonkwo & Lys|Sterne Advocates|Fairweather and Sons|Bianchi Tull|the tenants' union|Ravn Associates",
    "evidence": "a postcard from 1983|the carbon copy|a wedding video|the plumber's invoice|an aerial photo|the unopened envelope|a parking ticket|the answerphone tape|a page of the guest book|the old land map|a pawn ticket|the baker's order book",
    "witness": "the postman|the lollipop lady|the night nurse|the chimney sweep|the taxi driver|the piano teacher|the milkman|the lodger upstairs|the bus conductor|the girl from the kiosk|the verger|the window cleaner",
    "finding": "the damage is older than they say|the signature is not genuine|nobody could have seen it coming|the measurements were wrong|both sides share the blame|the material was faulty|the date was altered|it was done by hand|it happened after the sale|a storm is to blame|the drawing shows the wrong side",
    "accuse": "moved the marker stones|poisoned the cat|forged a signature|lied to the bank|came at night with a ladder|sold it twice|read their mail|cut the cable|never sent the notice|kept the key|hid the will|painted over the crack",
    "mediator": "the village priest|a retired headmistress|the ombudsman|the harbour master|the chamber of commerce|the district nurse|Professor Lindgren|the mayor's deputy|the guild|the old midwife|a former goalkeeper",
    "lawterm": "a written apology|a new fence|the return of the documents|the right of way|a public correction|full payment of the costs|their promise of silence|the felling of the poplar|new locks|a notary's seal|a donation to the lifeboats",
    "offerdeal": "half the money|a used piano|ten cases of wine|the use of the meadow|a free repair|two years of free parking|a new gate|a cruise for two|shares in the company|a set of garden chairs|a long lease",
    "legalins": "Justitia Mutual|the Anchor|Securitas Nord|the teachers' fund|Domus Legal|Helvia|the Tenants' Shield|Old Provident|Lex Direct|the railwaymen's fund",
    "sellthing": "motorbike|coin collection|grand piano|caravan|silver cutlery|first edition|fur coat|wine collection|stamp album|old sextant|loom",
    "codelang": "Rust|Kotlin|Swift|Elixir|Go|Haskell|TypeScript|Python|Clojure|Dart|OCaml",
    "bugwhen": "the phone is in Danish|the battery is below ten percent|somebody types an emoji|two windows are open|the clock is changed|the user has no surname|the list is empty|there is no signal|it is turned sideways|the month has 31 days|the name has an umlaut",
    "hostplace": "an old laptop in the cellar|a rented box in Helsinki|the university cluster|a tiny computer behind the fridge|the rack of a cooperative in Basel|the sports club's server|a mainframe in a bunker|a friend's games console|a virtual machine in Oslo|the cheapest cloud",
    "iconpic": "a yellow owl|a paper boat|a winking moon|a red balloon|a snail with a hat|a blue teapot|an open door|a striped sock|a sleeping fox|a pair of spectacles|a green comet",
    "appname": "Pipkin|Lumo|Quibble|Tockly|Zwirn|Hopscotch|Mellow|Fernweh|Plonk|Okapi|Wisp|Tuppence",
    "appscreen": "news feed|welcome tour|friends list|statistics page|weather box|avatar editor|points system|chat window|photo filter|daily quote|calendar view",
    "feature": "offline maps|a widget|voice input|reminders|larger type|sharing by link|an undo button|export to paper|a family account|automatic backup|a version for the watch|several profiles",
    "reviewer": "retired admiral|school class|dentist from Graz|night watchman|poet|beekeeper|tax inspector|tourist from Ohio|church organist|professional magician|crane driver",
    "appprice": "one euro a month|four euros once|five euros a year|ten euros a year|ninety cents|two euros a month|six euros once|twelve euros a year|three euros a quarter|fifty cents a week|twenty euros for life",
    "spendon": "a decent designer|a security check|a proper microphone|two test phones|a weekend at the sea|a translator|an accountant|a new domain|a real desk|a lawyer's letter|a better server",
    "storeno": "the missing imprint|the login with a phone number|the microphone permission|a blurred screenshot|the word 'free'|the cartoon pistol|the contact list|the background location|the external payment|the unreadable buttons|the flashing colours",
    "licence": "the MIT licence|the GPL|the Apache licence|a Creative Commons licence|the Mozilla licence|the BSD licence|the European Public Licence|a licence of our own|the Affero GPL|the zlib licence",
    "codeplace": "the launderette|the ice-cream parlour|the public library|the station waiting room|the youth club|a lorry garage|the chess café|the swimming pool bistro|the print shop|the sailing school",
    "shotopen": "an empty bus|a boiling kettle|a dog at a window|a hand sorting buttons|a snowed-in phone box|a ferry leaving|a child on stilts|a row of laundry|a clock without hands|an old man shaving|a wet cobblestone",
    "filmend": "the house burns down|they miss the train|the letter arrives after all|nobody comes|she takes the boat alone|the dog finds the way home|the brothers shake hands|he sells the farm|it begins to rain|the phone rings again|the shop reopens",
    "filmrole": "stepfather|police inspector|rich aunt|twin sister|talkative neighbour|young priest|rival|landlady|ghost|schoolteacher|night porter",
    "filmskill": "fly fishing|horse riding|knife throwing|Morse code|ballroom dancing|welding|beekeeping|sword fighting|tightrope walking|juggling|ice skating",
    "costume": "diving suit|uniform jacket|wedding dress|fur hat|nun's habit|leather apron|silk kimono|clown's wig|oilskin coat|velvet cape|suit of armour",
    "filmplace": "the salt flats|a closed spa hotel|the cement works|Hollow Farm|the cable car station|the old prison|the row of beach huts|the fish auction hall|the drive-in|the silver mine|the ferry terminal",
    "filmgear": "drone|boom microphone|wide lens|tripod|camera crane|camera dolly|clapperboard|monitor|wind machine|fog machine|battery charger",
    "runtime": "52|64|73|78|81|88|94|97|103|109|118",
    "filmnoise": "frogs in the rain|a creaking gate|a distant foghorn|bells in the fog|a swarm of starlings|a steam whistle|footsteps on gravel|melting icicles|a flapping sail|a milking machine|a whispering crowd",
    "narrator": "the weather presenter|my old headmaster|a retired ferryman|the baker's wife|a ten-year-old girl|the radio chaplain|an opera prompter|the auctioneer|a tram driver|the village doctor|a horse racing reporter",
    "filmfest": "the Lakeside Days|the Northern Reel|the Golden Sardine|Docs by the Sea|the Silver Oar|the Short Nights|Cinema Ritrovo|the Midnight Sun Week|the Human Eye|the Week of Firsts|the Paper Moon|the Balcony Awards",
    "posterpic": "an upturned boat|two empty chairs|a giant ear|a burning match|a pair of wet boots|a crow on a wire|a broken plate|a ladder in the sea|half a face|a single glove|a keyhole",
    "street": "Cooper Lane|Saltgate|Market Row|Fuller Street|the Ropewalk|Needle Alley|Bishop's Steps|Canal Side|Tin Street|Abbey Passage|Upper Dyke|Quay Street",
    "shopname": "Odds & Ends|The Second Helping|Little Wonders|Under the Arch|The Patient Mouse|Ordinary Things|Cousin Bertha|The Open Drawer|Half Past Ten|The Blue Counter|Bits and Bobs|Sunday's Child",
    "supplier": "Hartwig Imports|the Valley Cooperative|Duval Frères|Santini & Daughters|Northern Traders|the monks of Olm|Kestrel Supplies|Van Rijk|Eastway Depot|the Sisters Malm|Pomeroy's|Dacosta",
    "bestitem": "the gift box|the cheapest size|the lucky bag|the green one|the starter set|the handmade kind|the one from Portugal|the Christmas special|the miniature|the odd one from the basket|the monthly surprise",
    "vip": "the mayor's mother|a television cook|the bishop|an Olympic rower|the ambassador of Peru|the Minister of Fisheries|a famous tenor|the chess champion|the goalkeeper of the first team|a princess in disguise|the astronaut",
    "shopgripe": "the steep step|the bell on the door|the card machine|the narrow aisle|the dog by the till|the music|the paper bags|the smell of varnish|the locked toilet|the dim light",
    "accountant": "Mrs Pfeil|Tallow & Rusk|the Ames Brothers' office|old Mr Dobry|a student called Jo|Ledger Lane|the farmers' office|Ms Abiola|Nullmann|Count and Sons|Madame Perrin",
    "cutcost": "the fresh flowers|the window cleaner|the newspaper ad|the second telephone|the ironing service|the music licence|the van|the free coffee|the printed bags|the night light|the trade fair",
    "rebate": "a fifth off|a third off|half price|two for the price of one|ten percent off|fifteen percent off|a quarter off|three for two|forty percent off|twelve percent off",
    "display": "a snow landscape|a mechanical bear|a mountain of suitcases|a sleeping giant|a paper forest|a model volcano|a tea party of dolls|a flying carpet|a shipwreck|an upside-down room|a moonlit pond",
    "motion": "change the colours|admit dogs|sell the silver cup|merge with the next village|abolish the uniform|allow guests on Sundays|ban mobile phones|raise the age limit|move to Thursdays|rename the hall|buy a flag|drop the anthem",
    "clubplace": "the back room of the Crown|the disused post office|the vicarage|the customs shed|the school pavilion|the flat above the bakery|the fire tower|the union hall|the waterworks|the old weighbridge|the skating hut",
    "clubfix": "boiler|skylight|toilet cistern|gutter|fridge|parquet|back door|stage curtain|chimney|cellar pump|fuse box",
    "barthing": "draught cider|plum brandy|hot chocolate|ginger beer|mulled wine|elderflower wine|Turkish coffee|potato soup|cheese toast|onion tart",
    "rivalclub": "Upper Marsh|the Gasworks|Saint Osric's|the Railwaymen|Lower Wick|the Teachers' Union|Eastport|the Bank Clerks|Hollowell|the Fire Brigade|Three Bridges",
    "clubprize": "a crystal swan|a smoked ham|a silver spoon|a barrel of herring|a tin cup|a wooden duck|a garden gnome|a brass bell|a painted plate|a giant cheese|a stuffed pike",
    "fundraiser": "a jumble sale|a pancake breakfast|a car wash|a dance marathon|a lottery|a charity auction|a bingo night|a sponsored silence|a cake stall|a duck race|a concert in the park|a paper collection",
    "clubtrip": "the suspension bridge|the tulip fields|the shipyard|Castle Orben|the chocolate factory|the Three Lakes|the open-air museum|the limestone caves|the island of Sund|the horse market|the wool mill|the battlefield",
    "talktopic": "life on a lightship|the history of buttons|Arctic moss|famous swindlers|how bells are cast|the migration of storks|lost villages|a year in Mongolia|edible insects|medieval toothache|shipwrecks|the language of whistles",
    "mishap": "the tent blew away|the goat ate the cake|the stage collapsed|the beer ran out at six|the fireworks went off early|the mayor fell into the pond|the generator exploded|the wrong anthem was played|the grill caught fire|a swarm of bees arrived|the river rose|the raffle drum rolled downhill",
    "outcome": "it does not look good|we are nearly there|I gave up for today|now I know more|it was easier than I thought|it needs another round|nobody is happy with it|it works, somehow|I have to start over|that was a relief|it got worse|we put it off",
    "mood": "too long|fine as it is|a mess|promising|the weak point|overdue|harmless|complicated|boring but necessary|nearly finished|not our problem|the best part|unclear|expensive",
    "span": "an hour|two hours|the whole morning|half the night|twenty minutes|most of Sunday|an afternoon|three evenings|ten minutes",
    "weather": "grey and mild|windy|hot like an oven|foggy until noon|clear and cold|drizzling|thundery",
    "highlight2": "saw a kingfisher|met nobody|bought stamps|found a coin from 1911|fed the ducks|sat in the sun|sorted old photographs",
    "n": "garden chairs|slow cookers|Baltic cruises|index funds|sourdough|noise-cancelling headphones|vertical gardens|the history of salt|electric bicycles|tax returns|house plants|cordless drills|crime novels|meditation|smart thermostats|wool blankets|learning Italian|open access publishing|home studios|loft insulation|knee braces|city breaks|wedding gifts|client retention|vinyl records|pilgrim routes|back pain|catering for a crowd|writing grant proposals|building permits",
    "ntopic": "a lighthouse keeper|two sisters|a forger|the plague|a chess prodigy|an island without a doctor|a stolen violin",
    "friend": "Ana|Bettina|Carla|Dorit|Elke|Fenna|Gitta|Hilde|Ines|Jutta|Kirsten|Lotte|Marit|Nele|Olga|Paula|Renate|Silke|Thea|Ulla|Veronika|Wiebke|Xandra|Yvette|Zita|Annika|Birte|Corinna|Doro|Evelyn|Frauke|Gunda|Heike|Imke|Josefa|Kaja|Liesl|Malin|Nora|Odile",
}
"""Slots; what is not here is in ``calibrate._topics.WORDS``."""

CODES = "Albatross|Basalt|Calliope|Dovetail|Ember|Falconer|Gossamer|Harrow|Indigo|Juniper|Kingpin|Larkspur|Marlin|Nutmeg|Obsidian|Pelican|Quicksilver|Rookery|Saffron|Tamarind|Umber|Vanguard|Windmill|Yarrow|Zephyr|Anvil|Bramble|Cinnabar|Driftwood|Eclipse|Foxglove|Granite|Heron|Ivory|Jackdaw|Kelpie|Lantern|Mistral|Nightjar|Orchid|Pinecone|Rampart|Solstice|Thimble|Undertow|Verbena|Wagtail|Zinnia"
"""What projects are called; as many as a life may hold."""

PEOPLE = "Aaron|Abena|Achim|Adele|Aidan|Aleksy|Alina|Amos|Andrea|Anselm|Anton|Arne|Astrid|Aurel|Balint|Barbara|Basil|Beata|Benno|Bernard|Bjarne|Blanka|Boris|Brigid|Camilo|Casimir|Cecily|Cedric|Chiara|Christa|Claudio|Conrad|Cosima|Cyril|Dagmar|Damian|Danuta|Darius|Debora|Denis|Diego|Dora|Duncan|Eamon|Edgar|Einar|Elio|Elsa|Emil|Enno|Erika|Erwin|Esteban|Eugen|Fabian|Fatima|Fergus|Fiona|Florian|Franka|Frida|Gabor|Gerda|Gianni|Gilda|Gregor|Gudrun|Gustav|Hakon|Hanna|Harald|Hector|Heidi|Helga|Henrik|Hermine|Horst|Ida|Igor|Ilse|Imre|Ingo|Irena|Isak|Ivana|Jakob|Janne|Jarek|Joachim|Johanna|Jonas|Judit|Jules|Kalle|Karim|Kasia|Kilian|Klara|Knut|Konrad|Lambert|Lars|Laszlo|Leonie|Levin|Liam|Lidia|Lionel|Livia|Lothar|Luca|Ludmila|Luisa|Magda|Manfred|Marek|Margit|Marius|Marta|Matthis|Merle|Mikael|Mirjam|Moritz|Nadine|Niklas|Nils|Olaf|Oliver|Oskar|Otto|Paavo|Patrik|Paulina|Peer|Philippa|Piotr|Ragnar|Rainer|Regina|Rene|Ricarda|Robin|Roland|Roman|Rudi|Ruben|Sabine|Samuel|Sandor|Saskia|Sebastian|Severin|Sigrid|Simon|Sofie|Stefan|Sunniva|Susanna|Tadeusz|Tamara|Teresa|Theodor|Thore|Till|Timo|Tomas|Torben|Trude|Ulrich|Urs|Valentin|Veit|Vincent|Volker|Walter|Wenzel|Wilma|Wolfram|Yannick|Yolanda|Zora"
"""Who projects are done with: four each, nobody in two of them while names last."""
