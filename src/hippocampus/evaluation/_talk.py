# ruff: noqa: E501 - one sentence a line reads better than a wrapped one
"""
What long dialogues are made of: three genres, what gets told in each, and the words around it.

A genre is read line by line:

    # genre | who tells first: user or assistant
    * nouns for its subjects: a noun, other nouns for the same after commas
    & names that tell two subjects of a noun apart
    S how a subject is called, its noun {n}, its name {m}        A how else, another noun {a}
    o the user opens on a subject before the assistant tells
    - says something of a subject that tells nothing              . the same of nothing at all
    , the other one says to that
    + what an assistant adds, at length

    = kind of fact | what its value is, of VALUES
    > it is told            < the other takes it up           (both may hold the value, {v})
    ~ it is told again, later, in other words
    ! it is spoken of: why, what follows, who else knows      (without the value)
    ? it is asked for, in yet other words

``{S}`` and ``{A}`` are the subject. What tells a fact, takes it up, tells it again or speaks of it
supports it; all else does not, be it about the same subject or the same kind of fact of another.
"""

from __future__ import annotations

GENRES = """
# support | user
* espresso machine,coffee maker | walking boots,hiking shoes | desk lamp,reading light | winter coat,parka | rowing machine,fitness device | baby monitor,nursery camera | kettle,water boiler | suitcase,travel trolley | electric bicycle,e-bike | sofa bed,pull-out couch | headphones,headset | blender,mixer | printer,copier | armchair,recliner
& Nadia | Torsten | the office | my mother | Farah | the holiday flat | Emeka | our neighbour | the shop window | Lucía
S the {n} for {m}
A the {a} that {m} gets
- I must say, {S} does look good in the photos.
- Somebody asked me again today where I found {S}.
- I could not decide between two colours when I chose {S}.
- The leaflet that came with {S} is in a language nobody here reads.
- Reviews of {S} are all over the place, some love it, some do not.
- I have been telling everybody about {S}.
- Is there a video that shows how {S} is put together?
. I had to wait in the queue for half an hour yesterday.
. Do you ever get to go home over there?
. The new website takes some getting used to.
. My internet was down the whole morning.
. I wish every shop answered as quickly as you do.
. Is it always so busy before the holidays?
. I never know which button to press in your menu.
. The music while one waits is rather nice, by the way.
. I have moved house twice this year, it is chaos here.
. Sorry, the doorbell. Where were we?
. It rained on all the parcels in the street this week.
. I am writing from my phone, so excuse the typing.
, I understand, thank you for telling me.
, Let me have a look at that for you.
, I appreciate your patience with this.
, That is good to know, I have passed it on.
, You are not the first to say so.
, Of course, I am glad to help.
+ While you wait, please keep the original box, because it protects the goods best on the way.
+ Our opening hours are on the website, and in December we answer on Saturdays as well.
+ If you would rather talk to somebody, we can ring you back at a time of your choice.
+ You can follow every step in your account under the heading of open matters.
+ Should anything be unclear, simply reply to this message and it will land on my desk.
+ Many customers find the short guides in the help section useful for questions of this kind.
+ Photos of the goods and of the parcel help us a great deal, in good daylight if possible.
+ Please do not send anything back before we have confirmed it, or it may go astray.
+ Our partners in the workshop look at everything by hand, which is why it takes a moment.
+ A copy of this conversation goes to the address that we have on file.
+ You may rate this conversation at the end, and we read every single comment.
+ In the rare case of a delay we write to you before you have to ask.
= case number | code
> My case number for {S} is {v}, they gave it to me on the phone.
> I was told to quote {v} whenever I write about {S}.
> For {S} there is already a ticket, {v}, from the first call.
< Found it: {v} is open and assigned to me.
< Thank you, with {v} I can see the whole history of {S}.
~ As I wrote before, the ticket about {A} runs under {v}, in case somebody else reads this.
~ Just so that it is not mixed up: {v} is the reference for {A}, not for anything else.
! The reference for {S} should be in the subject line of every message, I was told, is that right?
! Your colleague could not find the ticket about {A} at first, because it was filed under the wrong name.
! The ticket for {A} was merged with an older one, so everything about it is in one place now.
! I have written the reference for {S} on a note beside the phone.
? Which reference do I quote when I call about {A}?
? Under what identifier is the complaint about {S} filed?
? What was the ticket for {A} called again?
= refund | amount
> You promised me {v} back for {S}, after the price went down.
> We agreed that I get {v} refunded for {S}.
> So for {S} the refund comes to {v}, if I understood correctly.
< Exactly, {v} goes back to you by the way you paid.
< I confirm the refund of {v} for {S}, it has been released.
~ I am still looking out for the {v} that you owe me for {A}.
~ Of what I paid for {A}, {v} was to come back, wasn't it?
! The money back for {S} had to be approved by the head of accounts first.
! A refund such as the one for {A} takes five working days with most banks.
! My bank shows nothing yet of the reimbursement for {A}, so I will look again on Monday.
! They deducted the shipping before they worked out what I get back for {S}.
? How much money was to be reimbursed for {A}?
? What sum do I get back on account of {S}?
? How big was the reimbursement that we settled on for {A}?
= delivery | date
> The courier says that {S} arrives on {v}.
> I got a message: {S} is on its way and comes on {v}.
> {S} could not be dropped off today, the new day is {v}.
< Then {v} it is, somebody should be at home.
< I see the same here, {S} is planned for {v}.
~ I have taken the day off for {A}, which is {v}.
~ Remember, {A} is brought on {v}, and the lift is too narrow.
! The driver needs the code of the gate to bring {S} up.
! If nobody opens when {A} is delivered, it goes to the bakery next door.
! Two people are needed to carry {A} upstairs, so the courier sends a second one along.
! They moved the drop-off of {S} once already because of the snow.
? On which day is {A} supposed to get here?
? When will the courier bring {S}?
? What day did we fix for handing over {A}?
= technician | person
> The technician who looks after {S} is called {v}.
> {v} was here and took {S} apart on the kitchen table.
> They are sending {v} to repair {S}.
< Good, {v} knows that model inside out.
< I will let {v} know that you are expecting a call about {S}.
~ When {v} rang the bell because of {A}, I was in the shower.
~ Could you ask {v} whether {A} needs a new seal as well?
! The repair of {S} needs a special tool that only one of your people carries.
! Whoever mends {A} should bring a spare fuse, the last one blew.
! The visit for {A} took two hours, since the screws were rusty.
! I was impressed by how tidy the kitchen was after somebody had repaired {S}.
? Who is it that comes to mend {A}?
? What is the name of the specialist who takes care of {S}?
? Whom did you send to fix {A}?
= fault | fault
> {S} has one problem, namely {v}.
> Since last night {S} shows {v}, every time that it is switched on.
> What is wrong with {S}? In a word, {v}.
< I am sorry to hear that. I have noted {v} in your file.
< In that case, {v} on {S} is something that we cover.
~ It has not gone away, you know: {A} still has {v}.
~ I filmed {v} on {A} so that you can see it for yourselves.
! We tried to clean {S}, to restart it and to leave it alone, none of which cured it.
! The defect of {A} first came up after the move, not before.
! The workshop has seen the same trouble with {A} three times this year.
! My guess is that whatever ails {S} comes from the damp cellar.
? What is the matter with {A}?
? Which trouble did I report with {S}?
? What does not work as it should on {A}?
= warranty | date
> According to the card in the box, the warranty of {S} runs until {v}.
> I found the receipt: {S} is covered up to {v}.
> They extended the warranty of {S} to {v} as a goodwill gesture.
< Right, after {v} a repair would be at your own cost.
< Our records say the same, {v} is the last day for {S}.
~ Whatever happens to {A} before {v} is on you, is it not?
~ I have put {v} into my calendar, when the cover of {A} ends.
! A claim on {S} needs the receipt and the serial number, both of which I have.
! The guarantee of {A} does not include scratches, I read the small print.
! The guarantee for {A} can be passed on if it is sold, which I did not know.
! I nearly threw away the card that proves how long {S} is covered.
? How long is {A} guaranteed?
? When does the protection for {S} expire?
? Until when would a claim on {A} be free of charge?
= spare part | part
> {S} needs a new {v}, says the workshop.
> For {S} I have to order {v}, the old one is cracked.
> What they replaced on {S} was the {v}.
< We have a {v} in stock, luckily.
< Noted, one {v} for {S}, free of charge.
~ Has the {v} for {A} left the warehouse?
~ The parcel with the {v} that {A} was waiting for is here.
! The piece that broke off {S} is no longer made by the first supplier.
! I fitted the replacement on {A} myself, with a butter knife.
! The component for {A} comes from abroad, which makes it slow.
! Without that component {S} is an expensive ornament.
? Which component of {A} had to be exchanged?
? What did the workshop replace on {S}?
? What piece was ordered to repair {A}?

# encyclopedia | assistant
* lighthouse,beacon | bridge,crossing | abbey,monastery | observatory,stargazing station | canal,waterway | theatre,playhouse | fortress,stronghold | windmill,mill | aqueduct,water channel | library,collection of books | botanical garden,plant park | railway,train line | market hall,covered market | harbour,port
& Velmora | Harrow Point | Tansy Bay | Oskeln | Brannagh | Pellworth | Quillon | Sarrazane | Dunmere | Ystrad Fawr
S the {n} of {m}
A the {a} at {m}
o What else can you tell me about {S}?
o Please go on, I am all ears.
o Tell me something that I would not find on a postcard.
o What comes next in your notes?
o And what else is there to know?
- People draw {S} on every second postcard of the region.
- Was {S} ever in a film?
- I imagine that {S} is crowded in summer.
- A friend of mine grew up in sight of {S}.
- The name of {S} is hard to pronounce for me.
- Is it worth the detour to see {S} in the rain?
- I saw a watercolour of {S} in a waiting room once.
. I could read about such things all night.
. How do people find all this out, I wonder.
. My tea has gone cold over this.
. I should have studied history after all.
. Give me a minute, I am making notes.
. Schools ought to teach this.
. I am preparing a little talk for our reading circle.
. You explain this better than my guide book.
. It is surprising how little is written down.
. Let us go on to something else for a moment.
. Somebody in our circle will surely ask about this.
. I lost my place, bear with me.
, Sources differ on much of this, but the broad picture is clear.
, That is a question many visitors ask.
, It depends on whom one reads.
, The archives are open to the public, should you wish to look.
, There is a good deal of legend in these stories.
, A short answer would not do it justice.
+ Like many works of its time it was begun with more optimism than money.
+ Visitors today see mostly what the nineteenth century made of it.
+ Local guides tell the story with some embroidery, which is half of its charm.
+ The surrounding countryside has changed a good deal, as old maps show.
+ Several historians have argued about the details without coming to an agreement.
+ The best light for pictures is said to be in the hour before sunset.
+ During the war the records were kept in a cellar, where the damp got to them.
+ It has been restored more than once, and not always with a light hand.
+ The small museum beside the entrance has a model that children love.
+ Trade and weather shaped it at least as much as any plan did.
+ Comparable works can be found along the whole coast, though few are so well kept.
+ A festival is held there every other year, with music and far too much food.
= builder | person
> {S} was designed by {v}, then hardly known outside the county.
> The plans for {S} came from {v}, who won the contest by a single vote.
> It was {v} who drew up {S}, in less than a month.
< So {v} was the one behind it, I had never heard the name.
< {v}, then, drew {S}. I must look up what else there is from that hand.
~ If I sum up, {A} goes back to {v}.
~ In my notes I wrote that {v} gave {A} its shape.
! The architect of {S} never saw it finished, having fallen ill in the last winter.
! A plaque beside the door honours the person who conceived {A}.
! Letters of whoever drew {A} are kept in the town hall and have been published.
! Was the designer of {S} paid in the end?
? Who was the architect of {A}?
? To whom do we owe the design of {S}?
? Whose idea was the shape of {A}?
= opening | year
> {S} was opened in {v}, with a brass band and a great deal of rain.
> Work on {S} was over by {v}, four years late.
> The first visitors set foot on the site of {S} in {v}.
< {v}, that is earlier than I would have guessed.
< When they opened {S} in {v}, my own town did not even exist.
~ So {A} has been in use since {v}, if I followed you.
~ I always thought {A} was younger than {v}.
! The inauguration of {S} was postponed twice because the bishop had a cold.
! Newspapers made fun of how long {A} took to be completed.
! At the anniversary of the opening of {A} the whole town turned out.
! A speech from the day {S} was inaugurated survives in a diary.
? When was {A} inaugurated?
? In which year did {S} come into use?
? Since when have people been able to use {A}?
= cost | amount
> The bill for {S} came to {v}, a scandal at the time.
> {S} swallowed {v} before it was done.
> The council had to find {v} for {S}.
< {v} does not sound like much today.
< And where did such a poor town get {v} for {S}?
~ I told my husband that {A} had cost {v}, he laughed.
~ {v} for {A}, and the mayor kept his post, remarkable.
! A tax on beer was raised to pay for {S}.
! The town was still paying off {A} two generations later.
! The accounts for {A} were audited, and a clerk went to prison.
! How did they justify the expense of {S}?
? What did it take to finance {A}?
? How expensive was {S}?
? What was the price of building {A}?
= material | material
> {S} was made of {v}, which was unheard of.
> For want of anything better, they built {S} from {v}.
> What gives {S} its colour is {v}.
< {v}? In that climate?
< I would have expected {S} to be anything but {v}.
~ You mentioned that {A} consists of {v}, I find that odd.
~ {v} for {A}, it must have been heavy to bring there.
! Everything that {S} was built from had to be hauled up by oxen.
! The quarry and the yard that supplied {A} are ruins today.
! What {A} is made of weathers badly, so masons are always at work.
! Did they know that the stuff they used for {S} would last?
? Out of what was {A} constructed?
? What is {S} built from?
? Which stuff did the builders of {A} use?
= size | measure
> From end to end {S} measures {v}.
> The guide books give {v} for {S}, the engineers a little less.
> {S} has {v}, as any schoolchild there will tell you.
< {v}, my goodness, that is enormous.
< I cannot picture {S} at {v}, what would that be like?
~ My daughter paced it out on the beach: {v}, as much as {A}.
~ For the talk I noted {v} for {A}.
! The dimensions of {S} were a matter of pride between the two towns.
! Nobody had built anything as big as {A} in those parts.
! The measurements of {A} were checked by satellite a few years ago.
! Is there anything else of the size of {S} nearby?
? How large is {A}?
? What are the dimensions of {S}?
? What size do they give for {A}?
= disaster | disaster
> {S} was half destroyed by {v}, and took a decade to recover.
> The darkest day of {S} was the one of {v}.
> In its second century {S} suffered {v}.
< {v}, how dreadful. Was anybody hurt?
< So {S} survived {v}? They built well.
~ I read out the part on {A} and {v} to my circle.
~ That {A} still stands after {v} is a wonder.
! After the catastrophe at {S}, collections were held as far as the capital.
! A mark on the wall reminds of the worst that ever befell {A}.
! Witnesses of the calamity at {A} told their stories to the parish priest.
! What did they do differently when they rebuilt {S}?
? What catastrophe struck {A}?
? Which calamity nearly put an end to {S}?
? What misfortune befell {A}?
= keeper | person
> Today {S} is looked after by {v}, who lives on the premises.
> The keys of {S} are with {v}, and have been for thirty years.
> Whoever wants to see {S} in winter has to ask {v}.
< I should write to {v} before I travel.
< {v} of {S} sounds like somebody I would like to meet.
~ I sent a letter to {v}, about a visit to {A}.
~ {v} has answered, {A} can be seen by appointment.
! The caretaker of {S} gives tours to anyone who brings cake.
! It is not easy to find a successor for the person who minds {A}.
! The one in charge of {A} has written a small book on it.
! Does the caretaker of {S} speak English?
? Who minds {A} these days?
? Who is the caretaker of {S}?
? Whom must one ask to get into {A}?

# story | user
* smuggler,outlaw | apothecary,healer | cartographer,map-maker | innkeeper,landlord | deserter,runaway soldier | clockmaker,mender of watches | ferryman,boatman | fortune-teller,reader of cards | printer,pamphleteer | falconer,keeper of hawks | bell-ringer,sexton | glassblower,master of the furnace
& Ilsabet | Corvin | Maroush | Thessaly | Odran | Wenna | Halloran | Pim | Zephine | Barnaby
S {m} the {n}
A the {a} {m}
- I think {S} should have a better entrance.
- Let us give {S} a scene in the rain.
- What would {S} say to all of this?
- {S} is starting to feel like a real person to me.
- I am not sure that readers will like {S}.
- Could {S} have the last word in this chapter?
- We have not heard from {S} for a while.
. The tavern scene needs more noise.
. Let us slow down, the last pages were breathless.
. I would like a paragraph on the weather here.
. How many chapters should this have, in your view?
. The dialogue was better this time.
. Give me three ways to end the scene.
. Somebody ought to laugh in this book, once at least.
. I read it to my brother and he wanted more dragons.
. Take the last sentence out, it says too much.
. I would rather not explain everything.
. Where does the light come from in that room?
. Could we have the town wake up slowly?
, Happily, here is how it could go on.
, I like that, it gives the chapter a turn.
, That fits with what we have so far.
, Let me try it in a quieter tone.
, There is room for that before the bridge scene.
, Good instinct, I would not change a word.
+ The lanterns along the quay were lit one after the other, and each had its own moth.
+ Somewhere behind the shutters a fiddle was being tuned by somebody with patience.
+ Nobody spoke for as long as it takes a kettle to boil.
+ The snow had the colour of old paper, and as many footprints as a page has words.
+ In the street below, a cart went by with its lamp out.
+ It smelled of tar and oranges, as it always did when the wind came from the docks.
+ A dog barked twice, thought better of it, and lay down again.
+ The fire had burned down to a red line, and the shadows leaned in to listen.
+ Upstairs, a door closed in the careful way of doors that do not want to be heard.
+ Rain began, first on the tin roof and then everywhere.
+ For a moment everything was as still as the inside of a bell.
+ The moon came out, looked at them, and went in again.
= birthplace | place
> {S} was born in {v}, which explains the accent.
> Let us say that {S} comes from {v} and never speaks of it.
> It should turn out that {S} grew up in {v}.
< From {v}, then. That town can come back in the last chapter.
< {v} it is, and the accent will give {S} away.
~ Do not forget, {A} is a child of {v}.
~ In the trial the judge reads it out: {A}, native of {v}.
! Nobody in town must know where {S} comes from until the trial.
! There is a song from the home country of {A} that keeps returning.
! {A} flinches whenever somebody mentions home, and the reader wonders why.
! I like that {S} cannot hide an origin that everybody would guess.
? Where did {A} grow up?
? What is the origin of {S}?
? Which town does {A} come from?
= secret object | object
> Sewn into the coat, {S} carries {v}.
> What {S} keeps under the floorboards is {v}.
> {S} must never be parted from {v}.
< {v}, wrapped in oilcloth. I will hint at it early.
< Then {v} shall fall out of the pocket of {S} at the worst moment.
~ In the chase, {A} almost drops {v}.
~ The customs men look everywhere but find no {v} on {A}.
! The thing that {S} hides must be small enough for a fist.
! Twice somebody comes close to discovering what {A} conceals.
! What {A} keeps out of sight was a gift from somebody dead.
! I want the reader to guess what {S} is hiding long before it is shown.
? What is it that {A} hides from everyone?
? Which possession does {S} conceal?
? What does {A} keep out of sight?
= debt | amount
> {S} owes {v} to the harbour master.
> The whole trouble begins because {S} has lost {v} at cards.
> By now {S} is {v} in debt.
< {v}! No wonder that the window is the way out.
< I have it: {S} is to pay {v} before the thaw.
~ The note that is nailed to the door says that {A} is to pay {v}.
~ For {v} the harbour master would sell {A} to anyone.
! The moneylender's men have begun to wait for {S} at the corner.
! {A} sells the horse to pay back a part of what was borrowed.
! In the end somebody settles what {A} owes without leaving a name.
! What weighs on {S} is less the loan than the shame of it.
? What sum does {A} have to pay back?
? How deep in debt is {S}?
? How much was lost by {A} at the table?
= companion | animal
> {S} is never seen without {v}.
> Give {S} a companion: {v}, with a torn ear.
> On the road {S} has picked up {v}.
< {v} will be a joy to write.
< I will let {v} sleep at the feet of {S}.
~ When the bell rings, {A} and {v} are both gone.
~ It is {v} that saves {A} from the cellar.
! The creature that follows {S} knows more than it lets on.
! Children laugh at the animal that trots behind {A}.
! The pet of {A} must survive, or my niece will never forgive me.
! Where does the creature sleep when {S} is at sea?
? Which creature keeps {A} company?
? What animal goes along with {S}?
? By what pet is {A} accompanied?
= oath | oath
> At the grave, {S} has sworn {v}.
> What drives {S} is a vow: {v}.
> {S} promised the dying abbot {v}.
< A vow like that, {v}, will cost blood.
< {S} swears {v}, and not a soul hears it. Good.
~ Even drunk, {A} repeats the words: {v}.
~ The scar is there to remind {A} of the vow, {v}.
! Everyone advises {S} to break the promise, and no one dares to say it twice.
! The vow of {A} will be fulfilled in a way that nobody expects.
! {A} has come close to forgetting the pledge, in the summer chapter.
! The promise made by {S} should weigh on every choice.
? What did {A} vow to do?
? Which pledge drives {S}?
? What has {A} promised at the graveside?
= meeting | date
> {S} is to be at the old mill on {v}.
> The conspirators expect {S} on {v}, after dark.
> A card under the door tells {S} to come on {v}.
< {v} it shall be, with no moon.
< So for {S} everything runs towards {v}. I will plant a calendar.
~ It is the eve of {v}, and {A} cannot sleep.
~ Because of the flood, {A} nearly misses {v} at the mill.
! Somebody has betrayed the rendezvous of {S} to the watch.
! {A} wears a borrowed cloak to the appointment so as not to be known.
! Four people know of the rendezvous with {A}, which is three too many.
! I keep asking myself who will turn up to meet {S}.
? When is {A} expected at the rendezvous?
? On what day are they going to meet {S}?
? For which day was the appointment with {A} made?
= enemy | person
> The one whom {S} fears is {v}.
> {S} has a sworn enemy, {v}, with a long memory.
> It was {v} who had {S} thrown into the tower.
< {v}, yes. The reader should smell the pipe before they see the man.
< I will let {v} be polite to {S}, that is worse.
~ When {v} enters the tavern, {A} leaves by the window.
~ The letter that could hang {A} is with {v}.
! The feud with {S} goes back to a stolen boat.
! {A} has seen that face at the window and bolted the door.
! Whoever hates {A} so much must have loved once, do you not think?
! The adversary of {S} has to be given one good deed.
? Who is after {A}?
? Which adversary does {S} have to reckon with?
? Whose revenge must {A} be afraid of?
"""

VALUES = {
    "code": "{L}{L}-{d}{d}{d}{d}",
    "amount": "{n} euros and {c} cents|{n} crowns and {c} pence",
    "date": "the {nth} of {month}",
    "year": "{century}{d}{d}",
    "measure": "{n} metres|{n} feet|{n} paces",
    "person": "{first} {last}",
    "fault": "a rattle at the back|a smell of burnt plastic|a blinking red light|a leak at the seam|a crack along the side|a whistle at high speed|a loose handle|a display that stays dark|a cable that gets hot|a lid that will not close|a wobble to the left|a stain that spreads|a hum that never stops|a wheel that sticks",
    "part": "rubber seal|hinge|drive belt|zip fastener|power adapter|filter basket|heel cap|gas spring|control knob|battery tray|drip tray|lens cover|paper feeder|clamp ring|spoke set",
    "material": "black basalt|river clay|oak from wrecked ships|pink granite|slate and lime|yellow brick|cast iron|rammed earth|white marble|coral blocks|chestnut beams|flint|red sandstone|copper sheets",
    "disaster": "the great flood|a fire in the kitchens|an earthquake at noon|the plague of bees|a collision with a barge|the siege of the dukes|a bolt of lightning|an avalanche of mud|the winter of the wolves|an explosion of gunpowder|the landslide of the saints|a plague of termites|the riot of the weavers",
    "place": "Kastrava|Low Ember|Port Sallow|Ninefold|Merrowgate|Vinters' Hollow|Old Sabine|Tarn Abbas|Grivaud|Saltmarsh Cross|Upper Quay|Belisande|Corrin Moor|Hathersett",
    "object": "a brass sextant|a lock of white hair|half a playing card|a forged passport|a music box without a key|three blank pages|a glass eye|a silver thimble|the seal of the bishop|a vial of mercury|a child's shoe|an unposted letter|a bent spoon|the map of the wells",
    "animal": "a one-eyed mule|a tame jackdaw|an old greyhound|a ginger tomcat|a white ferret|a limping goat|a hedgehog called Duke|a parrot that curses|a wolfhound bitch|a toad in a jar|a blind pony|a goose with a bell|a black lamb",
    "oath": "to open every cage in the city|never to sleep under a roof again|to return the ring to the sea|to burn the ledger page by page|to find the drummer boy|never to draw the knife in anger|to ring the bell of the drowned church|to bring the twins back across the border|to walk barefoot to the coast|to speak no word until the thaw|to plant a tree for every grave|to finish the unfinished song",
}
"""Ways to make up values of a kind, each used once in a dialogue."""

PARTS = {
    "L": "A|B|C|D|F|G|H|K|L|M|N|P|Q|R|T|V|W|X|Z",
    "d": "0|1|2|3|4|5|6|7|8|9",
    "month": "January|February|March|April|May|June|July|August|September|October|November|December",
    "century": "15|16|17|18|19",
    "first": "Marguerite|Anselm|Yusra|Bram|Odile|Kwame|Sunniva|Teodor|Leocadia|Ruaridh|Isolde|Hamza|Petronella|Jorund|Amaranta|Lazar|Wilhelmina|Dmitri|Saoirse|Evander",
    "last": "Oduya|Brackwater|Lindqvist|Farrow|Castellane|Okonjo|Vandermolen|Hale|Szabó|Merriweather|Adeyemi|Thorne|Delacroix|Ravnsborg|Quist|Balogun|Ferreira|Winterbourne|Kovač|Ashdown",
}

ASK = (
    "{q}",
    "{q}",
    "Remind me: {q}",
    "I have lost track. {q}",
    "One more thing. {q}",
    "Before we go on: {q}",
)
"""How a question is put."""

LEAD = ("", "", "", "By the way, ", "Also, ", "As to the other thing: ", "Oh, and ")
"""How the user takes a matter up."""
