# ruff: noqa: E501 - one sentence a line reads better than a wrapped one
"""
What synthetic people talk about: topics, their facts, and the words to fill them with.

``TOPICS`` is read line by line:

    # topic
    - chatter: on the topic, but says nothing about anybody
    = fact
    > the owner says it                 ~ the other says it for them
    < the other asks || the owner answers, hardly intelligible alone
    ^ the owner takes it back and says something new (a fact that changes)
    ? a question about it               @ a question about when
    % a question about it that other facts could answer as well
    * a question about all of several   (a fact that happens more than once)

Questions name the owner ``{N}``, and mostly share few content words with what was said. A slot
``{city}`` draws from ``WORDS``, ``{city2}`` draws another, ``{a:animal}`` brings its article.
"""

from __future__ import annotations

TOPICS = """
# pets
- Animals really do make a flat feel less empty.
- I saw the tiniest puppy on the tram today and nearly missed my stop.
- Vet bills are no joke these days.
- My neighbour's cat has decided that my balcony belongs to her.
- Do you think pets know when we are sad?
= pet
> We finally went to the shelter {ago} and came home with {a:animal}. I named the little one {petname}.
> There is a new member of the household: {petname}, {a:animal} with far too much energy.
> So I caved in. {petname} is {a:animal}, and already sleeps on my pillow.
< Did the shelter visit lead anywhere? || It did! {petname} is curled up on my feet as I type, snoring like any {animal}.
~ So you really brought home {a:animal}! {petname} is such a sweet name, give the little thing a cuddle from me.
? What is the name of {N}'s {animal}?
? Which creature lives with {N}?
? What did {N} call the newcomer in the family?
@ When did {N} adopt the {animal}?
= pet_trouble
> The vet says my {animal} is allergic to {ingredient}, so now I read every label.
> Poor thing was scratching all week. It turns out {ingredient} is off the menu for the {animal}.
< What was wrong with the {animal} in the end? || An allergy, would you believe it. No more {ingredient}.
~ An allergy to {ingredient}, of all things! Your poor {animal}.
? What must {N}'s animal not eat?
? Which food makes {N}'s {animal} ill?
= pet_mischief
> My {animal} chewed through {object} {ago}. I could not even be angry.
> Guess who destroyed {object} while I was out? Those innocent eyes, I tell you.
~ Wait, your {animal} got hold of {object}? There goes the deposit.
? What did {N}'s pet ruin?
@ When did the animal damage something of {N}'s?

# work
- Mondays should be illegal.
- Our office coffee tastes like wet cardboard.
- I had three meetings today that could have been one email.
- Do you ever think about what you would do if money did not matter?
- The commute was a nightmare this morning.
= job
> I signed the contract {ago}. From next month I am {a:job} at {company}!
> They rang back: {company} wants me as {a:job}. I am still shaking.
> Well, it is official, {company} took me on. {a:job}, imagine that.
^ Small twist, I turned the first offer down after all and said yes to {company}, as {a:job}.
< How did the last interview go? || They offered it to me on the spot. {company}, starting on the first, as {a:job}.
~ Congratulations! {company} is lucky to have you, and {a:job} sounds exactly like you.
? Who is {N}'s employer?
? What does {N} do for a living?
? Where did {N} find a new position?
@ When did {N} get hired?
= promotion
> My boss pulled me aside {ago}: they are putting me in charge of {team}.
> You are talking to the new head of {team}. I still cannot say it with a straight face.
~ Head of {team}! After all those late nights you have earned it.
? Which group does {N} lead?
? What responsibility did {N} receive at the office?
@ When was {N} promoted?
= colleague
> There is this {adjective} person at my desk cluster, {person}, who {habit}.
> I have to tell you about {person} from the office. Picture somebody who {habit}, every single day.
~ Is {person} the one at your office who {habit}?
? Who at {N}'s workplace {habit}?
? What strange custom does {N}'s colleague {person} have?
= side_job
> To make ends meet I have started {sidejob} on weekends.
> I earn a bit extra by {sidejob}. It is tiring but oddly satisfying.
< How do you afford that? || Promise not to laugh. {sidejob}, Saturdays and Sundays.
~ You, {sidejob}? I would pay to see that. I mean it, I would actually pay.
? How does {N} earn money besides the main job?
? What does {N} do for extra income?

# trips
- I could use a beach right now.
- Airports bring out the worst in people.
- Packing light is an art that I have never mastered.
- Half the joy of a holiday is planning it.
- I get train tickets for the window seat, always.
= trip
> I am just back from {city}. {highlight}, and I ate my weight in {dish}.
> We spent a few days in {city} {ago}. {highlight}!
> {city} was wonderful. {highlight}, I would go again tomorrow.
< Where did you disappear to? || {city}! It was a last minute thing. {highlight}.
~ Your photos from {city} made me so jealous. I heard that {highlight}?
? What did {N} experience in {city}?
@ When was {N} in {city}?
* Which cities has {N} visited?
* Where has {N} been on holiday?
= trip_mishap
> My luggage never made it to {city}. I spent two days in borrowed {clothing}.
> Remember the flight to {city}? They lost my suitcase, so I wore somebody else's {clothing}.
~ I still laugh about you walking through {city} in borrowed {clothing} because the suitcase was lost.
? What went wrong on {N}'s journey to {city}?
? What did {N} have to wear when the bags went missing?
= dream_trip
> One day I will see {landmark} with my own eyes. I have a jar for it and everything.
> If I could go anywhere it would be {landmark}. Saving up already.
~ You and {landmark}, you have been dreaming of it since we met.
? What is the journey {N} saves money for?
? Which sight would {N} love to see most?

# moving house
- Rents here have become ridiculous.
- I never want to carry a sofa up the stairs again.
- A good landlord is worth gold.
- Boxes everywhere, I swear they multiply at night.
= new_home
> We got the keys {ago}! It is a {homekind} in {district}, and the light is lovely.
> After months of viewings I have a {homekind} to myself, out in {district}.
^ The landlord let us down, so forget the other place. It will be a {homekind} in {district} instead.
< Any luck with the flat hunt? || Yes! {district}. A {homekind}, nothing fancy, but mine.
~ A {homekind} in {district}! When is the housewarming?
? In what part of town does {N} live?
? What sort of place did {N} move into?
@ When did {N} get the new place?
= home_problem
> The {fixture} at my place broke {ago} and water went everywhere.
> I have been without a working {fixture} for days. The plumber laughed when he saw it.
~ Is the {fixture} at your place still broken? Showers at mine whenever you need.
? What had to be repaired in {N}'s home?
? Why did {N} need a plumber?
@ When did something break in {N}'s flat?
= room_colour
> I painted the {room} {colour} at the weekend. It looked different on the tin.
> New look for the {room}: {colour}, floor to ceiling. My back hurts.
~ {colour} walls in the {room}! Bold. I like it.
? Which paint did {N} choose for the {room}?
? What did {N} redecorate?

# hobbies
- I need something to do with my hands in the evenings.
- Time flies when you are making something.
- I have so many half-finished projects in the cupboard.
- They say it takes a month to form a habit.
= hobby
> I signed up for {a:hobby} course {ago}. First lesson was chaos and I loved it.
> Lately my evenings belong to {hobby}. It calms my head.
> I have a confession: I have become one of those people who cannot stop talking about {hobby}.
< What do you do with all your free evenings? || {hobby}, mostly. It started as a joke and now I own equipment.
~ You and {hobby}! I never saw that coming, but it suits you.
% What does {N} do in leisure time?
* What pastimes has {N} taken up?
* Which courses or crafts has {N} tried?
@ When did {N} start with {hobby}?
= made
> I finished it! The {made} took me {number} weeks, and it is going to {person}.
> Look what I made with my own two hands: a {made}. It is a present for {person}.
~ The {made} you made is gorgeous, {person} will be over the moon.
? What did {N} make as a gift?
? For whom was the handmade present from {N}?
= collection
> My collection of {collectible} has reached {number} pieces. Send help, or shelves.
> Found another one at the flea market, so that makes {number} {collectible} now.
~ {number} {collectible}! You need a museum, not a shelf.
? What does {N} collect?
? How large has {N}'s collection become?

# music
- That song has been stuck in my head for days.
- Live music just hits differently.
- My neighbours practise drums. Badly.
- I cannot work without headphones.
= instrument
> I have been taking {instrument} lessons since {month}. My fingers are killing me.
> Bought a second-hand {instrument}. The cat leaves the room whenever I practise.
~ How are the {instrument} lessons going? Do I get a private concert soon?
% What does {N} play?
? Which musical skill is {N} learning?
= concert
> I saw {band} live {ago}. They closed with my favourite and I cried, not ashamed.
> Still hoarse from {band}! {person} got us into the third row.
< Why is your voice gone? || {band}. Third row. Two encores. No regrets.
~ So how was {band}? The clip you sent was just screaming, yours I think.
? Which group did {N} hear on stage?
@ When did {N} go to see {band}?
* Which bands has {N} seen?

# food
- I could eat pasta every day of my life.
- Cooking for one is a bit sad sometimes.
- Never trust a thin chef.
- I burnt the rice again.
- The market was packed this morning.
= allergy
> I ended up in the emergency room {ago}. It turns out I cannot have {ingredient} any more.
> Heads up before you cook for me: {ingredient} makes my throat swell.
< Anything I should know before dinner on Friday? || Yes, please no {ingredient}. Last time my face doubled in size.
~ Noted, no {ingredient} for you. I will check every label before you come over.
? What should one never serve {N}?
? To what does {N} react badly?
= favourite_dish
> Nothing beats my {relative}'s {dish}. I would cross the country for a plate of it.
> If I had one last meal, it would be {dish}, made by my {relative}.
~ I know you: one plate of your {relative}'s {dish} and all is forgiven.
? What meal does {N} love best?
? Who cooks {N}'s favourite meal?
= diet
> I have stopped eating {foodgroup}, it has been {number} weeks now and I sleep better.
> No {foodgroup} for me since {month}. My doctor raised an eyebrow but the blood test was fine.
^ I gave up on giving it up, you know. I eat everything again, except {foodgroup}.
~ Still off {foodgroup}? I admire your discipline.
% What has {N} cut out of the daily meals?
? Which change in diet did {N} make?
= restaurant
> We tried {restaurant} {ago}. The {dish} was divine, the waiter less so.
> If you ever need a table for an occasion, go to {restaurant} and order the {dish}.
< Where was that heavenly {dish} you posted? || {restaurant}, the small one behind the station. Book early.
~ You keep raving about {restaurant}. Fine, let us go, but you pay for the {dish}.
? Where did {N} have such a good dinner?
? What is worth ordering at the place {N} recommended?
* Which places to eat has {N} been to?

# health
- I need more sleep. Who does not?
- Getting older is not for the faint of heart.
- I drank enough water today, be proud of me.
- Stretching is boring but it works.
= injury
> I twisted my {bodypart} {ago} while {activity}. Crutches for weeks.
> Well, the {bodypart} is in plaster. That is what I get for {activity} at my age.
< Why are you limping? || I was {activity} and landed wrong. The {bodypart} is not happy.
~ Please rest that {bodypart}. And no {activity} before the doctor says so!
? How did {N} get hurt?
? What part of the body did {N} injure?
@ When did {N} have the accident?
= therapy
> I have begun seeing {a:therapist} every {weekday}. Should have done it years ago.
> {weekday}s are blocked from now on, that is when I see my {therapist}.
~ I am glad that the {therapist} on {weekday}s is helping you.
? Whom does {N} see regularly about their wellbeing?
% What standing appointment does {N} have?
= sleep_trick
> Since I started {sleeptrick} before bed I sleep like a stone.
> My cure for the bad nights? {sleeptrick}. Sounds silly, works wonders.
~ Thanks for the tip about {sleeptrick}, I slept right through, just as you do now.
? How did {N} overcome insomnia?
% What is {N}'s routine at night?

# sports
- My knees remind me every day that I am not twenty.
- I only run when something is chasing me.
- Gyms in January are a zoo.
- There is nothing like a cold drink after a match.
= race
> I crossed the finish line of the {race} {ago}! {result}.
> {race}: done. {result}, and I walked down stairs backwards for three days.
< Well? How did the big day go? || {result}! I cried at the finish. The {race} is no joke.
~ You finished the {race}! And {result}, I told everybody at home.
? How well did {N} do in the competition?
? Which event did {N} complete?
@ When did {N} take part in the {race}?
= team_sport
> I have joined a {sport} team, the {teamname}. We lose every match and laugh a lot.
> {weekday} nights are for {sport} now. We call ourselves the {teamname}.
~ When do the {teamname} play next? I want to see you at {sport} with my own eyes.
? What is the name of {N}'s club?
? Which game does {N} play with others?
= coach
> My new coach, {person}, makes us do {exercise} until we drop.
> {person} coaches me now, and the secret is apparently {exercise}, {number} minutes of it.
~ Does {person} still torture you with {exercise}?
? Who trains {N}?
? Which exercise does {N}'s trainer insist on?

# family
- Families, you cannot choose them.
- My phone is full of pictures of other people's babies.
- Sunday lunches are sacred at ours.
- Nobody worries like a mother.
= sibling
> My {sibling} {person} is moving to {city} for {reason}. The house will be quiet.
> Did I tell you about {person}? My {sibling}, off to {city}, because of {reason}.
~ You must miss {person} already. {city} is far, but {reason} is a good cause for your {sibling}.
? Where is {N}'s {sibling} going to live?
? Why is a member of {N}'s family leaving?
= baby
> I am an aunt or uncle, take your pick! My {sibling} had a baby {ago}, little {person}.
> There is a tiny human called {person} in the family. My {sibling} looks exhausted and happy.
~ Little {person}! Your {sibling} must be on cloud nine.
? What is the newborn in {N}'s family called?
@ When did {N}'s {sibling} become a parent?
= grandparent
> My {grandparent} used to be {a:oldjob} in {city}, and told the wildest stories.
> I found out that my {grandparent} worked as {a:oldjob}. In {city}, before the family left.
< Where does that old photograph come from? || That is my {grandparent}, in {city}, back when being {a:oldjob} was a respected trade.
~ Your {grandparent} was {a:oldjob}? In {city}? You should write that down.
? What was the profession of {N}'s {grandparent}?
? From where do {N}'s ancestors come?
= heirloom
> My {grandparent} left me {heirloom}. I keep it {place}.
> I inherited {heirloom}. It lives {place}, where I can see it.
~ You still have {heirloom} from your {grandparent}, do you not? {place}, if I remember.
? What did {N} inherit?
? Where does {N} keep the thing handed down in the family?

# friends
- Making friends as an adult is hard.
- Some people you meet once and know forever.
- Group chats are exhausting.
- I owe about nine people a phone call.
= old_friend
> Guess who I ran into {ago}? {person}, from {schoolkind}! They are {a:job} now.
> {person} wrote to me out of nowhere. We had not spoken since {schoolkind}. Now {a:job}, imagine.
~ {person} from {schoolkind}, now {a:job}! What a small world you live in.
? Whom did {N} meet again after years?
? What became of {N}'s friend {person}?
@ When did {N} hear from {person} again?
= quarrel
> {person} and I are not talking at the moment. It was over {quarrel}, so stupid.
> I had a fight with {person} {ago} because of {quarrel}. I feel awful.
< You look upset, what happened? || {person}. We had words, about {quarrel} of all things.
~ Call {person}. Nobody should lose a friend over {quarrel}, you least of all.
? With whom did {N} fall out?
? What was the argument between {N} and {person} about?
= wedding
> {person} asked me to {weddingrole} at the wedding in {month}. I said yes before they finished.
> Big honour: I get to {weddingrole} when {person} marries in {month}.
~ You are going to {weddingrole}? In {month}? {person} chose well.
? What is {N}'s task at the marriage ceremony?
? Who is getting married among {N}'s friends?

# studies
- I miss being a student, except for the exams.
- Deadlines make me surprisingly good at cleaning.
- The library is the only place where I can think.
- Learning something new keeps the brain young.
= degree
> I enrolled at {university} {ago}. Evening classes in {subject}, wish me luck.
> Back to school for me: {subject}, at {university}, three nights a week.
^ I switched after one week, it was not for me. It is {subject} at {university} now.
< Did you send in the application? || Sent, accepted, enrolled! {university}, for {subject}. I bought new pens and all.
~ {subject} at {university}! You will be the smartest of us all.
? What is {N} studying?
? Where does {N} take classes?
@ When did {N} begin the degree?
= exam
> I failed the {subject} exam by {number} points. I need wine and silence.
> The results came {ago}. {number} points short in {subject}. I sit it again in {month}.
~ {number} points, that is nothing. You will pass {subject} the second time.
? Which test did {N} not pass?
? How close was {N} to passing?
= language
> I have been learning {language} for {number} weeks, mostly so that I can talk to my {relative}.
> My {language} is at the level of a polite toddler, but my {relative} laughs with joy.
~ How is the {language} coming along? Your {relative} must be touched.
? Which foreign tongue does {N} practise?
? Why does {N} learn {language}?
* Which languages has {N} worked on?

# books
- My to-read pile is taller than I am.
- I fall asleep after two pages, every time.
- Nothing smells as good as a second-hand bookshop.
- The film is never as good.
= reading
> I stayed up until three with "{book}". {opinion}.
> Finished "{book}" {ago}. {opinion}, and I am not over it.
< What are you reading at the moment? || "{book}". {opinion}.
~ You lent me "{book}" and you were right: {opinion}.
? What did {N} think of "{book}"?
* Which novels has {N} read?
* What titles did {N} mention reading?
@ When did {N} finish "{book}"?
= bookclub
> Our book club meets at {venue} on {weekday}s. I bring the biscuits.
> I founded a reading circle! {weekday}s, at {venue}, {number} people so far.
~ I would join your reading circle if it were not on {weekday}s. {venue} is perfect for it.
? On which day does {N} discuss literature with others?
? Where do the readers around {N} gather?

# films
- I never know what to watch any more.
- Popcorn is a human right.
- Subtitles or nothing.
- I fell asleep halfway through the film.
= series
> I am completely hooked on "{show}". {number} episodes in {number2} days.
> Do not call me tonight, "{show}" is back, and I watch it with my {relative}.
~ Are you still watching "{show}"? Everyone at work talks about it too.
? Which programme has {N} been binge-watching?
* What shows does {N} follow?
= film
> {person} dragged me to "{film}" {ago} and I loved every minute.
> I walked out of "{film}". Never done that before.
~ You walked into "{film}" knowing nothing, and look at you now.
? Which movie did {N} see?
@ When did {N} go to the cinema?

# money
- Everything has become so expensive.
- I check my balance with one eye closed.
- Someone should have taught us this at school.
- Coffee at that price should come with a chair to keep.
= saving
> I am putting {amount} aside every month for {goal}.
> My standing order for {goal} went up to {amount}. It hurts, but the number grows.
^ I had to adjust the budget: the savings go to {goal} now, {amount} a month.
< What are you saving for these days? || For {goal}. {amount} a month, hands off.
~ {amount} a month for {goal}, that is serious. I never manage to keep a penny.
? How much does {N} set aside?
% What is the money in {N}'s account meant for?
= debt
> I paid off the last of my {loan} {ago}. I danced in the kitchen.
> No more {loan}! The letter from the bank hangs framed on the wall.
~ You are free of the {loan}! Drinks are on you, then.
? Which burden did {N} finally get rid of?
@ When did {N} become free of debt?
= purchase
> I bought {a:gadget} {ago}. It was {amount}, do not tell anyone.
> My one extravagance this year: {a:gadget}, for {amount}.
~ {amount} for {a:gadget}! I will pretend that I did not hear that.
% What expensive thing did {N} buy?
? How much did {N} pay for the {gadget}?
* What has {N} bought recently?

# garden
- It has not rained in weeks and the lawn looks like straw.
- Slugs. I have declared war.
- There is nothing like dirt under your fingernails.
- Spring cannot come soon enough.
= planted
> I planted {plant} {gardenplace} {ago}. Now we wait.
> There is finally some {plant} growing {gardenplace}, and I check it every hour.
~ Did the {plant} {gardenplace} survive the frost? You were so proud of it.
? What grows at {N}'s place?
* What has {N} planted?
@ When did {N} sow or plant the {plant}?
= pest
> Something eats my {plant}. I suspect {pest}.
> {pest} found the {plant} overnight. I am crushed.
~ {pest} again? Try coffee grounds around your {plant}.
? What has been destroying {N}'s plants?

# cars and bikes
- Parking in this town is a sport.
- The bus was late, of course.
- I love the sound of rain on a car roof.
- Electric everything, that is where it is heading.
= vehicle
> I sold the old car and got {a:vehicle}. {colour}, obviously.
> My new {vehicle} arrived {ago}. It is {colour} and I have named it {petname}.
~ So the {colour} {vehicle} outside is yours? Very smart.
? How does {N} get around?
? Which colour is {N}'s new {vehicle}?
@ When did {N} get the {vehicle}?
= breakdown
> The engine died on the way to {city}. I waited {number} hours for the tow truck.
> Stranded near {city} with a flat tyre and no signal, {number} hours. I sang to keep calm.
~ {number} hours by the road near {city}! You should have rung me.
? Where did {N} get stuck?
? How long did {N} wait for help on the road?
= licence
> I passed my driving test {ago}, at the {ordinal} attempt!
> You may congratulate me: the {ordinal} time was the charm, I can legally drive.
~ {ordinal} attempt, who cares! You can drive now.
? How many tries did {N} need for the driving exam?
@ When did {N} get a driving licence?

# volunteering
- It feels good to be useful.
- The community centre could use a coat of paint.
- Not everything has to be paid to matter.
- People are kinder than the news suggests.
= volunteer
> I have been helping out at {charity} every {weekday}. {charityjob}.
> {weekday}s I am at {charity} now. {charityjob}, and come home happy.
< Where do you go every {weekday}? || To {charity}. {charityjob}. You should come along.
~ I told my colleagues about you and {charity}. Giving up every {weekday} is admirable.
? Which good cause does {N} give time to?
? How does {N} help the community?
* Where has {N} volunteered?
= fundraiser
> Our fundraiser brought in {amount}! It all goes to {charity}.
> {amount}, can you believe it? We counted it twice. {charity} can fix the roof.
~ You raised {amount} for {charity}. I am proud to know you.
? How much did the charity event of {N} collect?
? Who received the donations {N} gathered?

# childhood
- Kids today will never know dial-up.
- I wish I had kept my old diaries.
- Smells take me right back.
- We were outside until the street lights came on.
= grew_up
> I spent my childhood in {city}, right next to {childplace}. We were always covered in mud.
> Until I was {smallage} we lived in {city}. My bedroom looked out on {childplace}.
~ Growing up in {city} beside {childplace} explains a lot about you.
? Where was {N} raised?
? What was close to the house where {N} was a child?
= child_dream
> As a child I was dead set on becoming {a:oldjob}. Life had other plans.
> When I was {smallage} I told everyone that I would be {a:oldjob}.
~ You, {a:oldjob}! I can picture it, at {smallage}, very serious.
? What did {N} want to be as a kid?
= child_fear
> I was terrified of {fear} until I was {smallage}. My {relative} had to check the room.
> To this day {fear} gives me goosebumps. It started when I was {smallage}.
~ I did not know that {fear} still scares you.
? What frightens {N}?
? Which phobia goes back to {N}'s early years?

# technology
- My phone battery dies if I look at it.
- Another update, another thing moved.
- Passwords will be the end of me.
- I just want one cable for everything.
= broken_tech
> My {gadget} fell into {liquid} {ago}. Rice did not help.
> RIP {gadget}. A glass of {liquid}, one elbow, the rest is history.
~ Is the {gadget} really gone? Who keeps {liquid} next to it!
? How did {N} lose the {gadget}?
% What device of {N}'s was destroyed?
@ When did {N}'s {gadget} break?
= app
> I am building a little app that {appdoes}. {number} people use it already.
> My side project {appdoes}. I am at {number} users, two of whom are my parents.
~ I installed your app, the one that {appdoes}. With {number} users you are practically famous.
? What software does {N} develop?
? How popular is the program written by {N}?

# plans
- Let us plan something for the spring.
- I am bad at deciding, you know me.
- Calendars fill up so quickly.
- The best evenings are the ones nobody planned.
= holiday_plan
> For {month} we have booked {city}, {number} nights, non-refundable.
> It is settled: {city} in {month}. I have a guidebook with little flags.
^ Everything has changed. We cancelled that and are going to {city} in {month}.
~ {city} in {month}! Bring me something.
? Where will {N} spend the next vacation?
% What has {N} booked?
= party_plan
> I am throwing a party for my birthday on the {day} of {month}, at {venue}. Theme: {theme}.
> Save the date, {day} {month}, {venue}. Come as {theme}.
^ New venue for my birthday: {venue}, on the {day} of {month}. The {theme} theme stays, or rather begins.
~ I already have my costume for your party. {theme}, was it not? At {venue}?
? What is the motto of {N}'s celebration?
? Where does {N} celebrate turning a year older?
= retire_plan
> In {number} years I want to live in {city} and run {a:dreambusiness}.
> My long plan has not changed: {a:dreambusiness}, in {city}.
~ When you open your {dreambusiness} in {city}, I want a job.
? Which business does {N} dream of opening?
? Where does {N} see themselves in the future?

# nature
- The stars were incredible last night.
- I need trees around me from time to time.
- Fog makes everything look like a film.
- That sunset was almost too much.
= hike
> We walked up to {peak} {ago}. {number} hours, one blister, and {wildlife} right on the path.
> {peak} nearly broke me, but at the top {wildlife} looked straight at us.
< Your face is sunburnt, where were you? || Up at {peak}. And I swear, {wildlife}, ten steps away.
~ You saw {wildlife} on {peak}? I have walked there a hundred times and never did.
? Which animal did {N} come across outdoors?
% Where did {N} go walking?
@ When did {N} climb {peak}?
* Which mountains has {N} been up?
= camping
> Our tent flooded by {lake}. We slept in the car with {person}'s feet in my face.
> Camping at {lake} was a disaster: rain, and {person} forgot the poles.
~ {lake} without tent poles, thanks to {person}. I will tell that story for years.
? What happened when {N} slept outdoors?
? With whom did {N} go camping?

# art
- I could spend whole days in museums.
- I do not always understand modern art, but I like standing in front of it.
- Colours change my mood.
- A blank page is the scariest thing.
= exhibition
> They are showing {number} of my {artworks} at {gallery} in {month}!
> {gallery} wrote: my {artworks} will hang there from {month}. I am speechless.
~ Your {artworks}, at {gallery}! I will be first through the door in {month}.
? Where will {N}'s pictures or works be on display?
? What kind of art does {N} create?
= museum
> I stood in front of {artpiece} for half an hour {ago}. {person} had to drag me away.
> {person} and I went to see {artpiece}. I had only known it from postcards.
~ Was {artpiece} as big as you hoped? {person} said you would not leave.
? Which work of art impressed {N}?
@ When did {N} visit the museum?

# faith and festivals
- The lights in town are up already.
- I love it when a whole street smells of baking.
- Traditions matter more the older I get.
- Every family does it differently.
= festival
> For {festival} we always make {dish} and {custom}.
> At ours {festival} means {dish}, and afterwards we {custom}.
~ I loved {festival} with your family. {dish}, and then we {custom}, all together.
? How does {N}'s family celebrate {festival}?
? What is the custom at {N}'s on {festival}?
= gift
> My {relative} gave me {present} for {festival}. I did not know what to say.
> The best present this {festival} was {present}, from my {relative}.
~ Your {relative} really gave you {present}? For {festival}? That is love.
% What did {N} receive as a present?
? From whom did {N} get {present}?

# neighbourhood
- The bakery on the corner has closed, I am in mourning.
- There is always a building site somewhere.
- I like knowing the postman by name.
- So quiet here since the road was closed.
= neighbour
> My new neighbour {person} {habit}. Through these walls I hear everything.
> You know who lives upstairs now? {person}, who {habit}. Every night.
? Who lives near {N} and is hard to ignore?
= local_protest
> We are collecting signatures against {project}. {number} so far.
> I spoke at the town meeting about {project}. My knees were shaking, but {number} people clapped.
~ You spoke up against {project}! {number} people behind you, that counts.
? What is {N} opposed to?
? Against which scheme does {N} campaign?
@ When did {N} get active against the plans in town?

# clothes and looks
- I have nothing to wear and a full wardrobe.
- Comfort over beauty, always.
- My hair has a mind of its own.
- Shoes are an investment.
= haircut
> I did it. I cut it all off, and the rest is {colour} now.
> {ago} my hair became {colour}. My {relative} did not recognise me.
~ {colour} hair! On you it looks completely natural.
% How did {N} change their appearance?
@ When did {N} dye their hair?
= tattoo
> I got a tattoo {ago}: {tattoo}, on my {bodypart}. It is for my {relative}.
> {tattoo}, here, on the {bodypart}. I wanted something that reminds me of my {relative}.
< Is that real? || It is! {tattoo}, for my {relative}. The {bodypart} hurt like hell.
~ I keep staring at your {bodypart}. {tattoo} is beautiful, and your {relative} would have liked it.
? What is inked on {N}'s skin?
? In whose memory did {N} get the tattoo?

# dreams and worries
- I overthink everything after midnight.
- Writing things down helps.
- One day at a time, they say.
- I could not switch off all week.
= worry
> I lie awake over {worry}. I have told nobody but you.
> To be honest, {worry} is eating me up. I smile and it is still there.
~ You are not alone with {worry}, do you hear me?
% What keeps {N} up at night?
% What is troubling {N}?
= resolution
> My resolution this year: {resolution}. I wrote it on the mirror.
> I promised myself {resolution}, and so far I have kept it {number} weeks.
^ New resolution, the old one died quietly: {resolution}.
~ How is it going with {resolution}? You sounded so determined.
% What did {N} vow to do?
% Which good intention does {N} follow?
= achievement
> I never thought I would, but I {achievement} {ago}.
> Sit down, I have news: I {achievement}. My {relative} screamed down the phone.
~ You {achievement}! And you tell me only now?
% What is {N} proud of?
* What milestones has {N} reached?
"""

WORDS = {
    "person": "Amara|Bogdan|Celeste|Dario|Esra|Fintan|Greta|Hamza|Ingrid|Jonah|Keiko|Lorenzo|Maeve"
    "|Nikhil|Oksana|Pilar|Quentin|Rosa|Sven|Tariq|Uma|Viktor|Wren|Xavier|Yara|Zoltan|Agnes|Bruno"
    "|Chidi|Delphine|Emeka|Flora|Goran|Hedda|Imran|Jasmine|Kofi|Linnea|Mateus|Noor",
    "name": "Alba|Bastian|Carmen|Dmitri|Elif|Farah|Gideon|Hana|Isidro|Jolene|Kasper|Leila|Milo"
    "|Nadia|Orson|Petra|Ravi|Selma|Tobias|Ursula|Vera|Wanda|Yusuf|Zelda|Anouk|Benedikt|Clio|Desmond"
    "|Edith|Felix|Gwen|Hugo|Iris|Jorge|Katya|Ludo|Mina|Nestor|Ottilie|Pavel",
    "petname": "Pickle|Mango|Biscuit|Nimbus|Waffles|Socrates|Pepper|Turnip|Cosmo|Duchess|Gnocchi"
    "|Rocket|Mabel|Ziggy|Olive|Bandit|Noodle|Captain|Fig|Sprocket",
    "animal": "beagle|tabby kitten|cockatiel|greyhound|rabbit|hedgehog|terrier|tortoise|ferret"
    "|Siamese cat|parrot|poodle|gecko|guinea pig|collie",
    "ingredient": "peanuts|shellfish|eggs|soy|sesame|walnuts|chicken|strawberries|mustard|celery"
    "|wheat|cow's milk|tomatoes|lentils",
    "object": "the remote control|my left boot|a library book|the headphones|the sofa cushion"
    "|my passport|a whole phone charger|the neighbour's parcel|my glasses",
    "present": "a hand-knitted scarf|a fountain pen|a telescope|an old map|a set of knives"
    "|a leather notebook|a weekend in a lighthouse|a record player|a bonsai|a silver bracelet",
    "job": "bookkeeper|landscape architect|paramedic|data analyst|pastry chef|translator"
    "|graphic designer|primary school teacher|electrician|museum guide|lab technician|journalist"
    "|physiotherapist|tram driver|social worker|sound engineer|midwife|insurance broker",
    "oldjob": "clockmaker|lighthouse keeper|typesetter|ballet dancer|circus acrobat|beekeeper"
    "|ship's cook|astronaut|detective|blacksmith|tailor|opera singer|train conductor",
    "company": "Northwind Labs|the city library|Harbour Logistics|Bluefern Studio|Saint Olave's"
    "|Kestrel Energy|Pine & Partners|the regional radio|Tessellate|Morrow Foods|Ostara Clinic"
    "|the water board|Lanternfish Games|Quillon Insurance",
    "team": "the design team|customer support|the night shift|the archive|the research unit"
    "|procurement|the whole kitchen|field operations|the training programme",
    "adjective": "lovely|odd|very tall|quiet|cheerful|nosy",
    "habit": "hums opera while typing|eats raw onions at noon|waters plastic plants|talks to the printer"
    "|practises the trumpet at dawn|keeps a snake in a drawer|labels every single cup"
    "|does push-ups between calls|bakes bread at two in the morning|vacuums at midnight",
    "sidejob": "walking dogs|delivering flowers|tutoring chemistry|repairing bicycles"
    "|selling candles online|driving a taxi|proofreading novels|playing piano in a hotel bar"
    "|modelling for art students|minding other people's plants",
    "city": "Lisbon|Kraków|Valparaíso|Trieste|Reykjavik|Hanoi|Marrakesh|Tbilisi|Montreal|Nagasaki"
    "|Cork|Bergen|Oaxaca|Ljubljana|Tallinn|Cape Town|Seville|Antwerp|Zanzibar|Split|Busan|Aarhus"
    "|Palermo|Quito|Leipzig|Perth|Bath|Chengdu|Thessaloniki|Halifax",
    "highlight": "we got lost in the old town and ended up at a wedding|I saw dolphins from the pier"
    "|the night market went on until dawn|we slept on a houseboat|it snowed in the middle of summer"
    "|I learned to make paper in a monastery|a street band played just for us"
    "|we took a balloon over the valley|I was stuck in a cable car for an hour"
    "|the whole city was on strike and nobody minded",
    "clothing": "fishing trousers|a velvet tracksuit|hotel slippers|a raincoat|pyjamas"
    "|a choir robe|football shorts",
    "landmark": "the northern lights|the temples of Angkor|the Galápagos|Petra by candlelight"
    "|the Trans-Siberian railway|the cherry blossom in Kyoto|the salt flats of Uyuni"
    "|the great migration in the Serengeti|Machu Picchu|the fjords of Patagonia",
    "homekind": "loft|two-room flat|terraced cottage|basement studio|houseboat|converted barn"
    "|top-floor flat|bungalow|tiny house",
    "district": "Riverside|Old Mill|the harbour quarter|Linden Hill|Eastgate|Saint Martin's"
    "|the brewery district|Fairview|Canal Street|North Common",
    "fixture": "boiler|dishwasher|kitchen tap|bathroom sink|washing machine|radiator|shower",
    "room": "kitchen|bedroom|hallway|study|bathroom|living room",
    "colour": "emerald green|mustard yellow|terracotta|midnight blue|lavender|coral|burgundy"
    "|turquoise|silver|charcoal",
    "hobby": "pottery|fencing|beekeeping|salsa|calligraphy|archery|bookbinding|improv theatre"
    "|wood carving|birdwatching|rock climbing|stained glass|knitting|origami|stand-up comedy"
    "|astrophotography|kayaking|chess|embroidery|juggling",
    "made": "patchwork quilt|birdhouse|model ship|ceramic teapot|wooden stool|silver ring|mosaic lamp"
    "|rag doll|marionette",
    "number": "three|four|five|six|seven|eight|nine|eleven|twelve|fourteen|sixteen|seventeen|twenty"
    "|twenty-three|thirty-one|forty|fifty-two",
    "collectible": "snow globes|typewriters|postage stamps|vinyl records|fountain pens|teapots"
    "|antique keys|enamel signs|board games|matchboxes",
    "month": "January|February|March|April|May|June|July|August|September|October|November|December",
    "weekday": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday",
    "instrument": "cello|accordion|saxophone|ukulele|harp|banjo|oboe|violin|clarinet",
    "band": "The Velvet Herons|Paper Lighthouse|Ninth Street Choir|Copper Moon|Los Girasoles"
    "|Static Orchard|The Late Ferries|Hollow Pines|Mirabel & the Tides|Sugar Antlers",
    "dish": "moussaka|pierogi|beef rendang|mushroom risotto|shakshuka|pad see ew|gumbo|lamb tagine"
    "|chicken adobo|aubergine parmigiana|pho|paella|fish pie|jollof rice|ramen|goulash",
    "relative": "grandmother|father|mother|aunt|uncle|godfather|stepmother|great-aunt|cousin",
    "sibling": "sister|brother|older sister|younger brother|half-sister|twin brother",
    "grandparent": "grandmother|grandfather|great-grandmother|great-grandfather",
    "foodgroup": "sugar|red meat|dairy|bread|coffee|alcohol|fried food|anything from a packet",
    "restaurant": "Casa Lupo|The Tin Kettle|Golden Lotus|Chez Odile|Saffron Yard|Bistro Kolibri"
    "|Number Nine|The Salted Fig|Mama Adjoa's|Trattoria Vento",
    "bodypart": "ankle|wrist|left knee|right shoulder|elbow|collarbone|lower back|forearm",
    "activity": "ice skating|chasing the bus|hanging curtains|playing badminton|dancing on a table"
    "|skateboarding|climbing over a fence|trampolining",
    "therapist": "acupuncturist|speech therapist|counsellor|physiotherapist|dietician|osteopath",
    "sleeptrick": "reading cookbooks|warm oat milk|listening to shipping forecasts|counting in Latin"
    "|a cold foot bath|breathing exercises|leaving the phone in the fridge|an hour of jigsaw puzzles",
    "race": "half marathon|triathlon|harbour swim|mountain relay|charity ten-kilometre run"
    "|cycling tour|rowing regatta|obstacle course",
    "result": "third in my age group|under two hours|dead last but smiling|a personal best by four minutes"
    "|eleventh of three hundred|one minute faster than {person}",
    "sport": "volleyball|water polo|handball|rounders|ultimate frisbee|curling|netball|field hockey",
    "teamname": "Flying Radishes|Iron Pigeons|Midnight Otters|Slow Comets|Tidal Wolves|Brass Badgers",
    "exercise": "hill sprints|planks|burpees|rope skipping|lunges|rowing intervals|handstands",
    "reason": "a research post|love|the climate|a scholarship|a quieter life|the orchestra|a start-up",
    "heirloom": "a pocket watch|a sewing machine|a box of love letters|a recipe book|a brass compass"
    "|a set of chess pieces|a war medal|a string of pearls",
    "place": "on the mantelpiece|in a biscuit tin|under my bed|on my desk|in the bank|by the window",
    "venue": "the old boathouse|the library café|my rooftop|the bowling alley|the botanical garden"
    "|the fire station|a barge on the canal|the community hall",
    "schoolkind": "primary school|university|the scouts|summer camp|the first job I had|swimming club",
    "quarrel": "an unpaid bill|a joke that went too far|a borrowed car|politics|a forgotten birthday"
    "|a seating plan|a lost key|a parking space",
    "weddingrole": "give a speech|play the organ|bake the cake|carry the rings|take the photographs"
    "|be the witness|lead the dancing",
    "university": "the Open University|Halden College|the Polytechnic|Saint Brigid's|the night school"
    "|Westmere University|the Conservatory",
    "subject": "marine biology|accounting|art history|statistics|philosophy|nursing|law|architecture"
    "|linguistics|computer science|agronomy|theology",
    "language": "Portuguese|Arabic|Finnish|Korean|Swahili|Polish|Welsh|Japanese|Turkish|Greek",
    "book": "The Salt Atlas|A Winter of Bees|Nobody's Harbour|The Clockmaker's Debt|Letters to a Tide"
    "|Forty Doors|The Quiet Engine|An Orchard in Exile|Paper Wolves|The Glass Ferry",
    "opinion": "the ending broke me|I guessed the murderer on page ten|the middle drags terribly"
    "|I laughed out loud on the train|the mother is the best character I have ever met"
    "|it made me want to move to the sea|I did not understand a word and loved it",
    "verdict": "it takes fifty pages to warm up|the dialogue is the best of the decade"
    "|nobody should read it on an empty stomach|the translation has been redone, and it shows"
    "|the twist is fair but cruel|it is really a book about grief|children like it even more than adults"
    "|the maps at the back are half the fun|it reads like a thriller without a single crime",
    "show": "Harbour Lights|The Last Cartographer|Kitchen Wars|Cold Meridian|The Understudies|Moth Street"
    "|Parallel Sisters|Bakers of Doom",
    "film": "The Long Thaw|Eleven Umbrellas|Night Bus to Minsk|A Small Fire|The Beekeeper's Son"
    "|Orbit of Salt|Goodbye, Mr Lindqvist",
    "amount": "150 euros|two hundred pounds|$340|75 euros|1,200 dollars|nine hundred euros|£60|$2,750"
    "|480 pounds|3,600 euros",
    "goal": "a camper van|a sabbatical|new teeth|a deposit on a house|a sailing boat|my own workshop"
    "|an operation for the cat|a year in Asia",
    "loan": "student loan|car loan|credit card debt|mortgage|overdraft|loan from my uncle",
    "gadget": "espresso machine|drone|tablet|e-reader|film camera|projector|mechanical keyboard"
    "|robot vacuum|smart watch|sewing machine|electric guitar|laptop",
    "plant": "rhubarb|lavender|climbing roses|courgettes|sunflowers|a fig tree|garlic|sweet peas"
    "|chillies|mint|dahlias",
    "gardenplace": "behind the shed|on the balcony|along the fence|in old bathtubs|by the front door"
    "|at the allotment",
    "pest": "snails|deer|caterpillars|moles|pigeons|the neighbour's goat|aphids",
    "vehicle": "cargo bike|electric scooter|camper van|folding bicycle|vintage moped|hatchback"
    "|recumbent bike|pickup truck",
    "ordinal": "second|third|fourth|fifth|sixth",
    "charity": "the food bank|the animal shelter|the hospice|the repair café|the refugee centre"
    "|the lifeboat station|the reading scheme|the homeless kitchen|the wildlife hospital",
    "charityjob": "I sort donations|I peel a mountain of potatoes|I read aloud to people"
    "|I fix toasters|I answer the phones|I drive the van|I teach people to read",
    "childplace": "a sawmill|the railway yard|a convent|the fish market|an abandoned fairground"
    "|a brickworks|the zoo|a lighthouse",
    "smallage": "five|six|seven|eight|nine|ten|eleven|twelve",
    "fear": "escalators|clowns|moths|deep water|the dark|thunder|dolls|dentists|heights|geese",
    "liquid": "coffee|the bath|tomato soup|the canal|red wine|the toilet|the fish tank",
    "appdoes": "reminds people to water plants|finds the quietest café|splits bills among friends"
    "|identifies mushrooms|predicts late trams|matches lost gloves|translates menus",
    "day": "3rd|7th|11th|14th|18th|21st|26th|29th",
    "theme": "pirates|the 1920s|vegetables|characters from operas|outer space|bad taste|under the sea",
    "dreambusiness": "bookshop|bakery|dive school|guest house|cider press|ceramics studio"
    "|cinema for dogs|tea house",
    "peak": "Raven's Crag|Mount Ellery|the Devil's Staircase|Black Fell|the Old Widow|Saint Anne's Ridge"
    "|Hollow Top|the Teeth",
    "lake": "Loon Lake|the reservoir|Mirror Tarn|the quarry pond|Lake Vessel|the lagoon",
    "wildlife": "a lynx|an eagle owl|a family of otters|a wild boar|a golden eagle|an adder|a chamois"
    "|a black stork",
    "artworks": "watercolours|linocuts|bronze figures|charcoal portraits|photographs|collages|tapestries",
    "gallery": "the Kunsthalle|a gallery by the river|the town hall|the Blind Swan|Studio 44"
    "|the old pumping station",
    "artpiece": "the Rothko room|the Bayeux tapestry|The Night Watch|the water lilies"
    "|Caravaggio's Saint Matthew|the terracotta army|Guernica|Hokusai's wave",
    "festival": "Diwali|Christmas Eve|Midsummer|Eid|Easter|Lunar New Year|Hanukkah|Nowruz|Saint Nicholas",
    "custom": "jump over a small fire|leave an empty chair|play cards until dawn|swim in the cold river"
    "|read one poem each|swap shoes|light a candle for everyone we miss|dance in the street",
    "project": "the new ring road|closing the swimming pool|the car park|felling the old chestnuts"
    "|the landfill|selling the theatre|the airport extension",
    "tattoo": "a swallow|a line of sheet music|a fern|three small stars|a lighthouse|a compass rose"
    "|an anchor|a sprig of rosemary",
    "worry": "the test results|my father's memory|losing the flat|the tax audit|being found out"
    "|whether we can have children|the lump|being alone at sixty",
    "resolution": "no phone after nine|one letter a week|to learn to say no|a walk before breakfast"
    "|to call my mother every Sunday|never to buy on impulse|to swim twice a week",
    "achievement": "got my first poem printed|sang solo in front of four hundred people"
    "|stopped smoking|swam across the lake|became a citizen|ran my own stall at the fair"
    "|won the regional quiz|gave blood for the tenth time|repaired the roof on my own",
    "ago": "yesterday|last weekend|two days ago|last Tuesday|on Friday|this morning|a few days ago"
    "|last night|on Sunday|last week|the day before yesterday",
    "weather": "grey|boiling|windy|gorgeous|freezing|drizzly|foggy",
}

GREETINGS = (
    "Hey {O}! How have you been?||Hi {N}! Busy, but good. You?",
    "Morning, {O}! Did you sleep at all?||Barely, {N}. But there is coffee, so I will live.",
    "{O}! It has been a while.||Far too long, {N}. Tell me everything.",
    "Hi there, how is the week treating you?||Could be worse. It is {weather} here, which helps nobody.",
    "Hello hello! Got a minute?||For you, always. What is up?",
    "Are you around?||Just sat down. Perfect timing.",
    "Hey, thought of you today.||Aw. Only good things, I hope?",
    "Guess what, it is {weather} and I am in a good mood anyway.||I want what you are having.",
)

CLOSINGS = (
    "I have to run. Talk soon?||Talk soon! Take care of yourself.",
    "Right, dinner is burning. Bye!||Ha, go, go! Bye.",
    "It was good to hear from you.||Same here. Do not be a stranger.",
    "Off to bed. Sleep well, {O}.||You too, {N}.",
    "My train is here. More next time!||Safe journey!",
    "Let us speak again this week.||Yes please, I would love that.",
)

SMALLTALK = (
    "It has been so {weather} lately.||Same here, I have given up on my umbrella.",
    "I did absolutely nothing at the weekend.||That sounds like heaven.",
    "Have you eaten yet?||Just toast. Do not judge me.",
    "I keep losing my keys.||Put a bell on them.",
    "Is it only me or was this a long week?||The longest. And it is not even over.",
    "The kids next door are building something enormous.||As long as it is not a drum kit.",
    "I cannot believe how quickly this year goes.||Blink and it is winter.",
    "My inbox has four figures.||Delete all and move abroad.",
    "I laughed so hard today that I had to sit down.||You have to tell me why, one day.",
    "I am trying to be more patient.||How is that going? Quickly, please.",
    "Did you hear the thunder?||Hear it? I was under the table.",
    "I could nap right now.||Then do, I will still be here.",
    "Traffic was unreal.||It always is before a holiday.",
    "I have been thinking about what you said the last time.||Oh no. Which part?",
    "You always cheer me up.||That is what I am here for.",
    "My desk is a disaster area.||Call it creative and close the door.",
    "I have had four coffees.||I can hear it.",
    "Somebody parked right across my gate.||Leave a note. A polite one. In red.",
    "I think I am getting a cold.||Tea, blanket, no heroics.",
    "The lift is out of order again.||Free exercise, they will say.",
    "I went through old pictures today.||Dangerous. You never come back the same day.",
    "Sorry for the late answer.||No need, I was not looking at the phone anyway.",
    "I made a list and lost it.||Then you are free.",
    "Why do all the good things happen at once?||So that the bad ones have room, perhaps.",
    "Could you talk me out of a second dessert?||Never. That is not what friends are for.",
    "Everyone seems to be on holiday.||Except for us, naturally.",
    "I said yes to too many things again.||You say that every month.",
    "There was a rainbow over the motorway.||A good sign, or at least a pretty one.",
    "The clock in my kitchen has stopped.||At what time? That matters in novels.",
)

# Everyday remarks that name things, and tell nothing anyone will be asked for.
DAILY = (
    "I had {dish} for lunch and regret nothing.||You are making me hungry.",
    'Somebody on the bus was reading "{book}" upside down.||People. You have to love them.',
    'Did you see the trailer for "{film}"?||I did, and I will wait for the reviews.',
    "They played {band} in the supermarket again.||Between the onions and the news, no doubt.",
    "The radio did a whole hour on {city}.||I fell asleep to it, sorry to say.",
    "It smells of {dish} in the whole stairwell.||Better than last week's fish.",
    "There was {a:animal} sitting in the middle of the road today.||What did you do? I would have stopped traffic.",
    "My dentist plays {instrument} music in the waiting room.||Is that meant to calm anybody?",
    "A stranger tried to sell me {a:gadget} on the street.||Did it fall off a lorry, by any chance?",
    "The papers are full of {project}.||Nobody talks about anything else at the bakery.",
    "I dreamt that I was {a:oldjob}.||Was the pay any good?",
    "A colleague of mine swears by {sleeptrick}.||Everybody has a remedy these days.",
    "The shop had nothing but {plant} left.||Typical for this time of the year.",
    "I walked past {restaurant} and there was a queue down to the corner.||There always is on a {weekday}.",
    "What do you make of people who collect {collectible}?||Harmless. Dusty, but harmless.",
    "I cannot stop watching clips of {sport}.||The algorithm knows you better than I do.",
    "My cousin's friend wants to study {subject}.||Good luck to them with that.",
    "They are knocking down a house on {district}.||Another one? There will be nothing left.",
    "Somebody at the market sold nothing but {colour} hats.||I hope that you bought one.",
    "Is it true that {wildlife} was seen near the motorway?||They said so in the news, but you know the news.",
    "A leaflet for {charity} came with the post.||I got two of them.",
    "I heard a lecture about {landmark}, very dry.||Lectures can ruin anything.",
    "Do you know anybody who speaks {language}?||Not a soul, why?",
    "Everyone asks what I do for {festival}, and it is months away.||Shops start earlier every year.",
    "Somebody told me that {exercise} cures everything.||Somebody is wrong.",
    "My horoscope warns me of {fear}.||Mine says that I will meet a tall stranger.",
)

REACTIONS = (
    "No way! Really?",
    "That is wonderful, I am happy for you.",
    "Oh wow. How do you feel about it?",
    "Ha! That is so you.",
    "I did not expect that at all.",
    "Good for you. Honestly.",
    "Hm, I would have done the same.",
    "You have to show me some time.",
    "Oh dear. Are you all right?",
    "I am impressed, I must say.",
    "Tell me more!",
    "And what did everybody else say?",
    "That made my day.",
    "I need to sit down after that.",
)

REPLIES = (
    "I know, right? I still cannot quite believe it.",
    "Honestly, it feels good to have told somebody.",
    "We will see how it goes. One step at a time.",
    "Everyone had an opinion, of course.",
    "I will send you a picture later.",
    "It is a long story, I will tell you over dinner.",
    "Thanks, that means a lot.",
    "Mixed feelings, but mostly good ones.",
)

HINTS = (
    "So, it happened. You know, the thing I told you about on the phone.",
    "Well, I went through with it. You guessed right.",
    "Yes, it is true, what you heard.",
    "Go on, say it. You saw my post.",
    "My mother told yours, I suppose, so you know already.",
    "Before you ask: yes, I did.",
)

REQUESTS = (
    "Any advice for somebody in my position?",
    "Can you give me a few tips?",
    "How should I best go about it from here?",
    "What should I keep in mind?",
    "Could you help me to think this through?",
    "What would you do in my place?",
    "Is there anything that people usually overlook here?",
    "Can you make me a short checklist for what comes next?",
    "Please explain to me what my options are now.",
    "How do others deal with something like this?",
    "Tell me honestly, was that sensible?",
    "Where could I read more about this kind of thing?",
)

# What an assistant says at length. ``{list}`` is filled with items it makes up; the question asks
# for one of them, so the gold is a long answer of which one sentence matters.
TASKS = (
    (
        "I have a free weekend in {city}. Where should I eat?",
        "There is a lot to choose from in {city}, so here are a few places worth your time. {list} Most of them fill up early at weekends, so reserve a day or two ahead.",
        "{restaurant} is known for {dish}|try {restaurant}, where the {dish} comes in generous portions|for something quieter there is {restaurant}, and its {dish} is excellent",
        "Which restaurant in {city} did you suggest for {dish}?|In {city}, where did you tell me to go if I fancy {dish}?",
    ),
    (
        "I need a new evening pastime that is not a screen. Ideas?",
        "Stepping away from screens is a good plan, and it helps to pick something with a low entry barrier. {list} Try each for two weeks before you decide, and note how you feel afterwards.",
        "{hobby} is cheap to begin with and you can start for about {amount}|{hobby} suits people who like company, with a basic kit at {amount}|if you want calm, {hobby} needs some {amount} of material at most",
        "How much would it cost me to start with {hobby}, according to you?|What budget did you name for taking up {hobby}?",
    ),
    (
        "Could you recommend something to read for a long train journey?",
        "A long journey calls for a book that carries you along. {list} Take two, because the first one may not be to your taste and there is no bookshop on board.",
        '"{book}" is a safe choice, and readers say that {verdict}|"{book}" divides people, one critic wrote that {verdict}|then there is "{book}": {verdict}',
        (
            'What did you tell me about "{book}"?|Which remark did you make on "{book}" when I was looking'
            " for a novel?"
        ),
    ),
    (
        "Please draw up a weekly training plan for me.",
        "Here is a plan that builds up slowly and leaves room to recover. {list} Warm up for ten minutes each time, drink enough, and skip a session when something hurts.",
        "on {weekday} do {exercise} for {number} minutes|{weekday} is for {exercise}, in {number} short sets|keep {weekday} light with {exercise}, {number} repetitions",
        "On which day of my plan did you put {exercise}?|What amount of {exercise} did you schedule?",
    ),
    (
        "What could I plant this season? I am a beginner.",
        "For a beginner the best plants are those that forgive a forgotten watering. {list} Start small, label everything, and keep a short diary of what you did and when.",
        "{plant} does well {gardenplace} and wants planting in {month}|put {plant} {gardenplace}, ideally by {month}|{plant} can go {gardenplace} from {month} on",
        "In which month did you tell me to plant {plant}?|What did you advise about the place for {plant}?",
    ),
    (
        "I want to do some volunteering in town. Who needs people?",
        "Many organisations are short of hands, and the right one depends on your time. {list} Ring before you go, ask what training they offer, and do not promise more hours than you have.",
        "{charity} looks for helpers on {weekday}s|on {weekday}s {charity} runs an open evening|{charity} needs somebody every {weekday}",
        "When does {charity} need helpers, did you say?|On which day could I turn up at {charity}?",
    ),
)

# How an assistant begins on a topic it has no answer to.
ON_TOPIC = (
    "When it comes to {topic}, a calm start is worth more than a fast one.",
    "Questions of {topic} rarely have one right answer, but some habits help.",
    "Thank you for telling me. With {topic} the details matter, so let us take them one by one.",
    "That sounds like a good moment to think about {topic} more broadly.",
    "There are many opinions on {topic}, and most of them fit somebody.",
)

PADDING = (
    "It helps to begin with a clear idea of what you want to achieve, and to write it down.",
    "There is no single right answer here, since it depends on your circumstances and on your budget.",
    "Many people find that a small, regular effort works better than a large one now and then.",
    "First, take stock of what you already have, because that often narrows the choice.",
    "Second, ask somebody who has done it before; most people are glad to share what they learned.",
    "Third, leave yourself some margin, both in time and in money, for what cannot be foreseen.",
    "If you notice that it causes you stress, it is fine to pause and to come back to it later.",
    "Keep the documents together in one folder, so that you can find them when they are needed.",
    "A short review once a month is usually enough to see whether you are on the right track.",
    "Be wary of advice that promises quick results, in particular when it costs money.",
    "You may also want to compare two or three alternatives before you commit to one.",
    "Consider what would have to be true for you to change your mind, and look out for it.",
    "Should anything in your situation change, the order of these steps may change too.",
    "Remember to celebrate small successes; they keep the motivation up over the weeks.",
    "Local associations often offer free consultations, which are worth an hour of your time.",
    "Finally, do not compare your progress with others', who may have started from elsewhere.",
    "Let me know which of these fits best and I can go into more detail.",
)

# Questions about matters no conversation touches. Half are about the speakers' lives, half are not.
ELSEWHERE = (
    "What is {N}'s cholesterol level?",
    "Which political party did {N} vote for in the election?",
    "Who is {N}'s optician?",
    "What is {N}'s collar size?",
    "Where does {N} file the tax return?",
    "Which court called {N} up as a juror?",
    "What is {N}'s zodiac sign?",
    "Which notary certified {N}'s signature?",
    "What is the password of {N}'s router?",
    "How many godchildren does {N} have?",
    "Which orphanage did {N} sponsor in Nepal?",
    "When did {N} sell the shares in the lithium mine?",
    "What is {N}'s opinion on nuclear power?",
    "When did {N} serve in the navy?",
    "Which perfume does {N} wear?",
    "When did {N} get the vaccine against yellow fever?",
    "How much rent does {N} charge the lodger?",
    "Who inherits {N}'s vineyard?",
    "Which podcast does {N} host?",
    "What did {N} shout at the referee?",
    "When did {N} and the twins go sledging?",
    "Which radio quiz did {N} win?",
    "Who is {N}'s lawyer in the divorce?",
    "What is the registration number of {N}'s aeroplane?",
    "At which temperature does tungsten melt?",
    "How do submarines dive and surface?",
    "Who composed the opera about the barber?",
    "What is the capital of Mongolia?",
    "How is a harpsichord tuned?",
    "Which enzyme copies DNA?",
    "Why did the Hanseatic League decline?",
    "How do I revert a merge in git?",
    "What does the Treaty of Westphalia say about sovereignty?",
    "How many moons does Saturn have?",
    "Who holds the world record in the javelin?",
    "What is the boiling point of ethanol?",
    "How does a diesel turbocharger work?",
    "Which glacier feeds the Rhone?",
    "What is the derivative of the logarithm?",
    "When was the printing press invented?",
    "How do I configure the firewall on a Linux server?",
    "Which Roman emperor built the wall in Britain?",
    "What is the exchange rate of the yen?",
    "How are semiconductors doped?",
    "Which antibiotics treat pneumonia?",
    "Why do volcanoes erupt along the Pacific rim?",
    "How does compound interest differ from simple interest?",
    "Who discovered the structure of benzene?",
)
