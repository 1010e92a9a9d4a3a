// Something to look at before one has an answer of one's own. Two of its claims are wrong, and one is nowhere backed.

export const EXAMPLE = {
  question: "How high is Mount Everest and who climbed it first?",
  answer: `Mount Everest is 8,489 m high and stands on the border between Nepal and China. The figure was announced jointly by Nepal and China on 8 December 2020 [1].

Edmund Hillary and Tenzing Norgay reached the summit on 29 May 1953. The expedition employed 362 porters [2] and cost the equivalent of three million pounds.

Reinhold Messner and Peter Habeler were the first to reach the summit without bottled oxygen, on 8 May 1979 [3]. I think it is the most beautiful mountain in the world.`,
  sources: [
    {
      id: "height",
      text: `How high is Everest?

Mount Everest is 8,849 m high, which makes it the highest mountain on Earth. It stands on the border between Nepal and China; the line runs right across the summit.

The figure was announced jointly by Nepal and China on 8 December 2020, after both countries had surveyed the peak. The official figure had stood at 8,848 m since an Indian survey of 1955. In 1856 the Great Trigonometrical Survey of India had published the first height, 29,002 feet, after years of sighting the peak from more than 160 km away.

K2, the second highest mountain, reaches 8,611 m. It stands in the Karakoram, about 1,300 km to the north-west.`,
    },
    {
      id: "first-ascent",
      text: `The first ascent

Edmund Hillary, a beekeeper from New Zealand, and Tenzing Norgay, a Sherpa climber who lived in Darjeeling, reached the summit at 11:30 on the morning of 29 May 1953. They stayed for about 15 minutes.

Their expedition, the ninth British one to the mountain, was led by John Hunt. It employed 362 porters, 20 Sherpa guides and moved some 10,000 pounds of baggage.`,
    },
    {
      id: "air",
      text: `Breathing at the top of Everest

At the summit of Everest the air pressure is about one third of the pressure at sea level, and so is the amount of oxygen in each breath. Climbers call the region above 8,000 m the death zone, because the human body cannot acclimatise to it.

Most climbers carry oxygen. Reinhold Messner and Peter Habeler were the first to reach the summit without bottled oxygen, on 8 May 1978. Messner came back in August 1980 and climbed the mountain alone, again with nothing but the air around him.`,
    },
  ],
};

/** A short one for the first visit, which is checked without being asked for: something true, something wrong, something unbacked. */
export const SHORT = {
  question: EXAMPLE.question,
  answer: "Mount Everest is 8,489 m high and stands on the border between Nepal and China. The first expedition cost three million pounds.",
  sources: [
    {
      id: "height",
      text: "Mount Everest is 8,849 m high, which makes it the highest mountain on Earth. It stands on the border between Nepal and China; the line runs right across the summit.",
    },
  ],
};
