"""The conversation in English."""

from examples.sixty_rounds.course import Script, Turn

ENGLISH = Script(
    language="en",
    turns=(
        Turn("Good morning! Do I need an umbrella today?", "No: dry and 18 to 24 °C today. Rain is forecast for tomorrow."),
        Turn(
            "Something you should know: my cat is called Doudou. Never give it chocolate, whatever treats you come up with.",
            "What a nice name! Understood: never chocolate for Doudou. It is poisonous for cats.",
        ),
        Turn(
            "Which treats are good for a kitten?", "Freeze-dried chicken in small pieces. Pet Corner on Anfu Road has it for 32 yuan a bag."
        ),
        Turn(
            "I am looking for a coffee to take away. Who is open already?",
            "Lane Coffee around the corner opened at 7:30. A flat white is 22 yuan there.",
        ),
        Turn("By the way, my take-away coupon expires today.", "Noted: the coupon for 15 yuan off a take-away is good until midnight."),
        Turn("Where can I have something printed?", "The copy shop on Wulumuqi Road prints for 1 yuan a page and is open until 19:00."),
        Turn("Have 12 pages printed there, double-sided.", "Ordered: 12 pages, double-sided, for 10 yuan. They are ready in half an hour."),
        Turn("I have a phone meeting at 15:00 this afternoon.", "Noted: a phone meeting at 15:00 this afternoon."),
        Turn(
            "Who can make a spare key for my flat?",
            "The locksmith on Yongkang Road, for 20 yuan. He has the blank in stock, and it is ready on Thursday.",
        ),
        Turn(
            "For that phone meeting I would like a quiet place. Any idea?",
            "The district library has phone booths on the second floor. I have kept one for you from 14:50.",
        ),
        Turn(
            "May I take a bicycle on the metro?",
            "Only a folded one. Others are not allowed in the carriages, but every station has racks outside.",
        ),
        Turn("Is my phone meeting still on?", "Yes, nobody has moved it: 15:00. It is in your calendar for an hour."),
        Turn(
            "My sister's birthday is on the 12th. I need a present.",
            "There is time: a week and a half. What does she like to do when she has an evening to herself?",
        ),
        Turn(
            "Not sure. A scarf, perhaps?",
            "The silk shop on Fuxing Road has scarves from 180 yuan. But you have given her two already, you told me once.",
        ),
        Turn(
            "Right. She likes pottery, actually.",
            "Then a class at the Clay House: two hours on the wheel, 260 yuan for one, glazing and firing included.",
        ),
        Turn("Good idea. And how much is the electricity bill?", "The electricity bill is 186 yuan this month, due on the 25th."),
        Turn("Pay it, please.", "Paid: 186 yuan from your usual account. The receipt is in your mail."),
        Turn(
            "I have to go to Hangzhou. Book me a train on Friday.",
            "Booked: train G7301 to Hangzhou on Friday at 8:12, second class, 73 yuan.",
        ),
        Turn(
            "Window or aisle? I prefer an aisle seat on trains.",
            "You have the aisle: coach 6, seat 11C. I will look for aisle seats on trains from now on.",
        ),
        Turn(
            "I need a hotel in Hangzhou, at most 500 yuan a night.",
            "The Willow Inn by the lake asks 438 yuan with breakfast. It can be cancelled free of charge until the day before.",
        ),
        Turn(
            "How far is it from there to the lake?",
            "Four minutes on foot: out of the door, left, across Nanshan Road, and you stand at the water.",
        ),
        Turn(
            "What can I eat near here now? I am hungry.",
            "There is a noodle shop on Wuyuan Road, four minutes away. Its beef noodles are what people praise.",
        ),
        Turn(
            "Fine. But no coriander for me, in any recommendation.",
            "Understood: nothing with coriander in anything that I recommend. I have asked the noodle shop to leave it out.",
        ),
        Turn(
            "Order the beef noodles to collect.",
            "Ordered: one bowl of beef noodles, 28 yuan, to be collected in 15 minutes. Your number is 47.",
        ),
        Turn("Is there a queue?", "Six people, they say. It moves fast, since most of them only collect."),
        Turn(
            "I want running shoes. My shoe size is 42.",
            "The sports shop in the mall has three models in 42. The light ones are reduced from 699 to 489 yuan.",
        ),
        Turn("Do they take shoes back?", "Within 14 days, if they were only worn indoors. Keep the box and the receipt."),
        Turn(
            "I go to the gym on Tuesdays and Fridays, is it open on holidays?",
            "Yes, from 9:00 to 18:00. The pool stays closed on those days.",
        ),
        Turn(
            "The noodles are full of coriander!", "I am sorry, they were told to leave the coriander out. Shall I ask for your money back?"
        ),
        Turn("Yes, I want the 28 yuan back.", "Asked for: a refund of 28 yuan. The shop has to answer within two days."),
        Turn(
            "Doudou is shedding a lot. Is that normal?",
            "In spring it is. Brush it every day for a few minutes, and the worst is over in three weeks.",
        ),
        Turn("Which brush?", "A slicker brush with rounded tips. Pet Corner has one for 45 yuan, and it fits a short coat."),
        Turn(
            "I would love to see the film about the Yangtze on Sunday.",
            "It runs at the Cathay on Sunday at 14:00 and at 19:30. There are seats left in the middle for both.",
        ),
        Turn("Two seats for 19:30, please.", "Booked: row 8, seats 9 and 10, on Sunday at 19:30. That was 110 yuan together."),
        Turn(
            "Chen drives me to the office on Mondays, so I need no taxi then.",
            "Then I take the Monday taxi out of the plan. The other days stay as they are.",
        ),
        Turn("What does parking at the office cost?", "Parking at the office costs 15 yuan an hour, and 80 yuan at most for a day."),
        Turn(
            "Change my train to Hangzhou to Saturday.",
            "Changed: train G7305 to Hangzhou on Saturday at 9:05, again on the aisle. It costs nothing more.",
        ),
        Turn("And the hotel?", "Moved by a day as well: the Willow Inn from Saturday. The price is the same."),
        Turn(
            "My bicycle has a flat tyre. Who repairs it?", "The workshop on Jianguo Road. They fetch it today, and it is ready on Friday."
        ),
        Turn("How much will that be?", "A new tube is 35 yuan with the work. If the tyre is gone as well, 95."),
        Turn(
            "I have a library book that is due on the 20th. Can it be extended?",
            "Once, by two weeks, unless somebody is waiting for it. Nobody is at the moment.",
        ),
        Turn(
            "My passport expires in March. How long does a new one take?",
            "Seven working days, 120 yuan. You can apply online and collect it at the counter.",
        ),
        Turn(
            "Do I need new photos?",
            "Yes, not older than half a year, on a white background. The booth in the metro station makes them for 30 yuan.",
        ),
        Turn("How is the air?", "Good: the air quality index is 62. It is fine for a run."),
        Turn(
            "Ms Wang next door waters my plants while I am away. Remind me to give her the key.",
            "I will remind you the evening before the train leaves.",
        ),
        Turn("Now the kitchen tap drips, too.", "It is probably the seal. I can send a plumber: he asks 120 yuan, parts included."),
        Turn("When could he come?", "This afternoon, or tomorrow at 10:00."),
        Turn(
            "Not this afternoon, I have something on then. Tomorrow.",
            "Then tomorrow: the plumber rings at 10:00. This afternoon stays as it is.",
        ),
        Turn("Does he need anything from me?", "Only that the space under the sink is empty, and that you know where the stopcock is."),
        Turn(
            "Which plants live with little light?", "Cast-iron plant, snake plant and pothos. All three forgive you a week without water."
        ),
        Turn(
            "Mum pays 58 yuan a month for her phone plan. Is that much?",
            "Rather. For people over 60 there is one for 29 yuan with the same minutes and twice the data.",
        ),
        Turn(
            "What does she have to do to change?",
            "Go to any shop of her provider with her identity card. It holds from the first of the month.",
        ),
        Turn(
            "My umbrella is broken. Repair it or throw it away?",
            "One bent rib can be straightened with pliers. If two are broken, a new one for 39 yuan is the better deal.",
        ),
        Turn(
            "I have guitar lessons on Wednesdays and practise too little. Any trick?",
            "Ten minutes a day beat an hour a week. Leave the guitar out of its case, where you see it.",
        ),
        Turn("And for finger pain?", "Lighter strings, 10 to 47, and short breaks. It is over after about three weeks."),
        Turn(
            "Put together some music for running, 50 minutes.",
            "Done: 13 pieces at about 165 beats a minute, the last two slower to cool down.",
        ),
        Turn(
            "I have a haircut on Sunday at 11:00. How do I get there?",
            "Bus 49 from the corner, five stops to Xujiahui, and three minutes on foot.",
        ),
        Turn("How often does that bus run?", "Every twelve minutes on Sundays. The one at 10:31 gets you there in time."),
        Turn("When is glass collected here?", "On Thursday mornings, from seven. Put it beside the blue bin, without lids."),
        Turn(
            "What is on this afternoon, and can you recommend a dinner?",
            "Your phone meeting at 15:00. And for dinner the steamed fish at Old Harbour: I have asked, there is no coriander in it.",
        ),
    ),
    notes={
        "weather": "Tomorrow's forecast is rain",
        "cat": "The user's cat is called Doudou",
        "chocolate": "Never give the cat chocolate",
        "coffee": "Is looking for a coffee to take away",
        "coupon": "The take-away coupon expires today",
        "printing": "Is having 12 pages printed on Wulumuqi Road",
        "meeting": "Phone meeting at 15:00 this afternoon",
        "spare key": "The spare key is ready at the locksmith's on Thursday",
        "birthday": "The sister's birthday is on the 12th",
        "pottery": "The sister likes pottery",
        "bill": "The electricity bill of 186 yuan is paid",
        "train": "Train G7301 to Hangzhou on Friday at 8:12",
        "aisle": "Prefers an aisle seat on trains",
        "hotel": "The hotel in Hangzhou may cost at most 500 yuan a night",
        "coriander": "No coriander, in any recommendation",
        "shoes": "Shoe size 42",
        "gym": "Goes to the gym on Tuesdays and Fridays",
        "refund": "Waits for a refund of 28 yuan",
        "shedding": "Doudou is shedding",
        "film": "Sees the film about the Yangtze on Sunday at 19:30, two seats",
        "ride": "Chen drives the user to the office on Mondays",
        "parking": "Parking at the office costs 15 yuan an hour",
        "later train": "Train G7305 to Hangzhou on Saturday at 9:05",
        "bicycle": "The bicycle is at the workshop on Jianguo Road until Friday",
        "library": "A library book is due on the 20th",
        "passport": "The passport expires in March",
        "air": "The air quality index is 62",
        "plants": "Ms Wang next door waters the plants, and needs the key",
        "plumber": "The plumber comes tomorrow at 10:00, for the kitchen tap",
        "phone plan": "Mum pays 58 yuan a month for her phone plan",
        "guitar": "Guitar lessons on Wednesdays",
        "haircut": "Haircut on Sunday at 11:00, by bus 49",
    },
    cat_question="What is my cat called?",
    marks={"meeting": "15:00", "coriander": "coriander", "chocolate": "chocolate", "cat": "Doudou", "coupon": "coupon"},
    vaguely={"meeting": "Not this afternoon"},
)
