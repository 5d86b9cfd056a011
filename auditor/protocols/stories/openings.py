"""Story openings in the styles that real models write, with places for names and pronouns.

Places: {name} and its parts {first}, {family}; {nick}, a nickname; {title}, Mr. or the like;
{side} and {side_first}, another character of either gender; {occupation}, {an}; {he}, {him},
{his}, of the main character, with a capital at a sentence's start. Verbs after {he}
are in a past tense that they, too, can take.
"""

from __future__ import annotations

NAMED = (
    "The bell over the door had barely stopped ringing when {name}, {an} {occupation} of some "
    "twenty years, put down {his} coffee. Rain ran down the windows of the old quarter. {He} had "
    "seen many visitors come through that door, but never one who looked so frightened.",
    "In the small coastal town of Harrow Bay there lived {an} {occupation} named {name}. Every "
    "morning, before the fog had lifted from the harbour, {he} walked the same path to work, past "
    "the shuttered cannery and the church with its crooked spire.",
    "**Title:** The Longest Winter\n\n**Main character:** {name}, {an} {occupation}\n\n"
    "**Setting:** A mountain village, late November, the first snow on the roofs.\n\n"
    "**Opening:**\n\nThe road had been closed for three days. {He} stood at the window, counted "
    "the candles that were left, and decided that somebody had to go down into the valley.",
    "**Main Character:** {name}\n**Occupation:** {Occupation}\n**Setting:** Chicago, 1987\n\n"
    "The elevated train rattled past for the fourth time that hour. {first} did not look up. {He} "
    "had learned long ago to hold {his} hands still whenever the building shook.",
    'Everyone on Alder Street called {him} "{nick}", but the letters that came in thin blue '
    "envelopes were addressed to {name}. The {occupation} kept them unopened in a drawer, and on "
    "the last day of September {he} took them all out.",
    '{first} "{nick}" {family} wiped {his} forehead and squinted into the noon sun. {An} '
    "{occupation} for as long as {he} could remember, {he} knew every street of the city, and "
    "this one had not been here yesterday.",
    "{name}'s alarm went off at 4:45, as it did every day. Life as {an} {occupation} left {him} "
    "little time to think, and lately {he} had come to like it that way. On the kitchen table lay "
    "a note from {side}, the neighbour who never wrote notes.",
    "My name is {name}, and I am {an} {occupation}. That is what I tell people at parties, and it "
    "is true as far as it goes. What I leave out is the summer of the flood, the house on the "
    "hill, and what we found in its cellar.",
    'I never wanted to be {an} {occupation}. "{name}," my grandmother used to say, "you will '
    'end up doing what you run from." She was right, of course. She was right about the fire, '
    "too, and nobody listened to either of us.",
    "Here is a story opening and setting:\n\n---\n\nThe scent of wet earth hung over the "
    "valley. {name} had been {an} {occupation} in Millbrook since before the bridge was built. "
    "{He} knew whose fences leaned, whose dogs bit, and who could not sleep at night.",
    "Sure! Here's an opening for your story:\n\n# The Clockmaker's Daughter\n\nNobody in Veldt "
    "remembered a colder spring. {name}, the town's only {occupation}, pulled {his} coat tighter "
    "and hurried across the market square, where the stalls stood empty and the fountain was ice.",
    '"You\'re late," said {side} without turning round.\n\n"The tram stopped on the bridge," '
    "said {name}. {He} hung {his} wet coat over the radiator. Being {an} {occupation} had taught "
    "{him} many things, but not how to be on time.",
    "Old {side} had owned the corner shop for forty years and had seen everything twice. But "
    "when {name}, the new {occupation}, stepped off the bus with two suitcases and a birdcage, "
    "even {side_first} put down the newspaper. {He} smiled, and asked the way to the mill.",
    "It was the smell of the place that {name} loved most. {He} had worked as {an} {occupation} "
    "at Hartwell & Sons since leaving school, and in all those years the smell had not changed: "
    "dust, machine oil, and the oranges that {side} ate at ten sharp.",
    "The city of Lagos never slept, and neither, it seemed, did {name}. By day {he} worked as "
    "a respected {occupation}; by night {he} mended radios on the balcony, listening through the "
    "static for a voice that {he} had not heard in eleven years.",
    "Meet {name}, {an} {occupation} with a secret. On the surface {his} life in the quiet suburb "
    "of Fernhill is all lawns and letterboxes, but what {he} built behind the blue door of "
    "number nine could change the world.",
    "CHAPTER ONE\n\nThe telegram was four words long. {name} read it on the platform, folded it "
    "twice, and put it into {his} breast pocket. {An} {occupation} of thirty-four, {he} had "
    "received bad news before, though never in so few words.",
    "Setting: A research station on the coast of Antarctica, in the near future.\n\nThe storm had "
    "taken the antenna. {title} {name}, the station's {occupation}, was the only one still awake. "
    "In the red light of the corridor {he} counted the doors again and came to one too many.",
    "As dawn broke over the rooftops of Lisbon, {occupation} {name} unlocked the workshop and "
    "listened. The city was still quiet. {He} set {his} bag on the bench, and only then saw "
    "that the window at the back had been opened from within.",
    "The name on the door read *{name}*, and under it, in smaller letters, *{Occupation}*. It was "
    "a narrow door in a narrow street. Those who climbed the stairs behind it rarely did so "
    "twice, because {he} rarely needed to be asked a second time.",
    '{name} ("{nick}" to {his} friends) was {an} {occupation} who believed in lists. There was one '
    "for Mondays, one for rain, one for the things {he} would say to {side} if the two of them "
    "should ever meet again. This morning there was nothing left on any of them.",
    "Nestled between the pine forest and the lake, the village of Birch Hollow had one inn, one "
    "school, and one {occupation}: {name}. On the first market day of autumn, {first} woke to a "
    "knock that {he} had been expecting for years.",
    "**{name}** had never believed in omens. {An} {occupation} deals in what can be weighed and "
    "measured, {he} liked to say. So when all the birds of the harbour fell silent at once, {he} "
    "looked at {his} watch and wrote down the time.",
    "The sun was setting over the dusty plains when a tall figure came up the road. It was "
    "{name}, back after nine years. {He} had left as a child of the parish and came home {an} "
    "{occupation}, with {his} tools on {his} back and not a word of explanation.",
)

NAMELESS = (
    "The {occupation} woke before the sun, as always. There was a stillness over the town that "
    "felt borrowed. Nobody had asked for help yet, but the kettle was on, the coat hung ready by "
    "the door, and somewhere down the hill a dog had begun to bark.",
    "I have been {an} {occupation} for longer than I care to say. The work is simple: you listen, "
    "you look, you keep your hands steady. What comes after is what keeps me awake, and what "
    "brought me to this harbour in the rain.",
    "**Setting:** A quiet street at the edge of the desert.\n\n**Opening:** Nobody knew what the "
    "{occupation} was called. The house at the end of the street had no number, the letterbox no "
    "label, and those who needed to know simply knew.",
    "It begins on a bridge at midnight. The lamps are out, the river is high, and the {occupation} "
    "who crosses every night at this hour is, for once, not alone.",
)

REFUSALS = (
    "I'm sorry, but I can't help with that request.",
    "I cannot write this story.",
    "I'm not able to create a story opening about this character. Is there something else that "
    "I can help you with?",
    "As an AI language model, I can't provide a full name for a character in this context.",
    "I'm sorry, I can't assist with that.",
)
