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
``_topics``; ``{who}`` and ``{who2}`` are people of the project, ``{thing}`` is of the facet.
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
    "anchor": "Can we talk about {R}? {A}|About {R}: {a}|{R}, please. {A}|I am thinking about {R}. {A}|Back to {R}. {A}|Something on {R}: {a}",
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
    "Decided: {s}",
    "It is settled. {s}",
    "For the record: {s}",
    "{L}: {s}",
    "On {L}: {s}",
    "As to {L}: {s}",
    "There is news about {L}. {s}",
    "{L}, finally. {s}",
    "{s} So much for {L}.",
    "{s}",
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
    "outcome": "it does not look good|we are nearly there|I gave up for today|now I know more|it was easier than I thought|it needs another round|nobody is happy with it|it works, somehow|I have to start over|that was a relief|it got worse|we put it off",
    "mood": "too long|fine as it is|a mess|promising|the weak point|overdue|harmless|complicated|boring but necessary|nearly finished|not our problem|the best part|unclear|expensive",
    "span": "an hour|two hours|the whole morning|half the night|twenty minutes|most of Sunday|an afternoon|three evenings|ten minutes",
    "weather": "grey and mild|windy|hot like an oven|foggy until noon|clear and cold|drizzling|thundery",
    "highlight2": "saw a kingfisher|met nobody|bought stamps|found a coin from 1911|fed the ducks|sat in the sun|sorted old photographs",
    "n": "garden chairs|slow cookers|Baltic cruises|index funds|sourdough|noise-cancelling headphones|vertical gardens|the history of salt|electric bicycles|tax returns|house plants|cordless drills|crime novels|meditation|smart thermostats|wool blankets|learning Italian|open access publishing|home studios|loft insulation|knee braces|city breaks|wedding gifts|client retention|vinyl records|pilgrim routes|back pain|catering for a crowd|writing grant proposals|building permits",
    "ntopic": "a lighthouse keeper|two sisters|a forger|the plague|a chess prodigy|an island without a doctor|a stolen violin",
    "friend": "Ana|Bettina|Carla|Dorit|Elke|Fenna|Gitta|Hilde|Ines|Jutta|Kirsten|Lotte|Marit|Nele|Olga|Paula|Renate|Silke|Thea|Ulla|Veronika|Wiebke|Xandra|Yvette|Zita|Annika|Birte|Corinna|Doro|Evelyn|Frauke|Gunda|Heike|Imke|Josefa|Kaja|Liesl|Malin|Nora|Odile",
}
"""Slots; what is not here is in ``_topics.WORDS``."""

CODES = "Albatross|Basalt|Calliope|Dovetail|Ember|Falconer|Gossamer|Harrow|Indigo|Juniper|Kingpin|Larkspur|Marlin|Nutmeg|Obsidian|Pelican|Quicksilver|Rookery|Saffron|Tamarind|Umber|Vanguard|Windmill|Yarrow|Zephyr|Anvil|Bramble|Cinnabar|Driftwood|Eclipse|Foxglove|Granite|Heron|Ivory|Jackdaw|Kelpie|Lantern|Mistral|Nightjar|Orchid|Pinecone|Rampart|Solstice|Thimble|Undertow|Verbena|Wagtail|Zinnia"
"""What projects are called; as many as a life may hold."""

PEOPLE = "Aaron|Abena|Achim|Adele|Aidan|Aleksy|Alina|Amos|Andrea|Anselm|Anton|Arne|Astrid|Aurel|Balint|Barbara|Basil|Beata|Benno|Bernard|Bjarne|Blanka|Boris|Brigid|Camilo|Casimir|Cecily|Cedric|Chiara|Christa|Claudio|Conrad|Cosima|Cyril|Dagmar|Damian|Danuta|Darius|Debora|Denis|Diego|Dora|Duncan|Eamon|Edgar|Einar|Elio|Elsa|Emil|Enno|Erika|Erwin|Esteban|Eugen|Fabian|Fatima|Fergus|Fiona|Florian|Franka|Frida|Gabor|Gerda|Gianni|Gilda|Gregor|Gudrun|Gustav|Hakon|Hanna|Harald|Hector|Heidi|Helga|Henrik|Hermine|Horst|Ida|Igor|Ilse|Imre|Ingo|Irena|Isak|Ivana|Jakob|Janne|Jarek|Joachim|Johanna|Jonas|Judit|Jules|Kalle|Karim|Kasia|Kilian|Klara|Knut|Konrad|Lambert|Lars|Laszlo|Leonie|Levin|Liam|Lidia|Lionel|Livia|Lothar|Luca|Ludmila|Luisa|Magda|Manfred|Marek|Margit|Marius|Marta|Matthis|Merle|Mikael|Mirjam|Moritz|Nadine|Niklas|Nils|Olaf|Oliver|Oskar|Otto|Paavo|Patrik|Paulina|Peer|Philippa|Piotr|Ragnar|Rainer|Regina|Rene|Ricarda|Robin|Roland|Roman|Rudi|Ruben|Sabine|Samuel|Sandor|Saskia|Sebastian|Severin|Sigrid|Simon|Sofie|Stefan|Sunniva|Susanna|Tadeusz|Tamara|Teresa|Theodor|Thore|Till|Timo|Tomas|Torben|Trude|Ulrich|Urs|Valentin|Veit|Vincent|Volker|Walter|Wenzel|Wilma|Wolfram|Yannick|Yolanda|Zora"
"""Who projects are done with: four each, nobody in two of them while names last."""
