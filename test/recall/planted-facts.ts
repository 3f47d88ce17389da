/** A fact that somebody mentions once in a long conversation, and what may be asked for it later. */
export interface PlantedFact {
  readonly statement: string
  /** What an answer has to hold. */
  readonly value: string
  /** In five wordings: its own words, a question, another form of the noun, the value alone, and a roundabout request. */
  readonly wordings: readonly [string, string, string, string, string]
}

export type PlantedLanguage = 'english' | 'german' | 'chinese'

export const plantedLanguages: readonly PlantedLanguage[] = ['english', 'german', 'chinese']

/** `count` facts by rule, at most 40: the same for everyone. */
export function plantedFacts(language: PlantedLanguage, count: number = 40): readonly PlantedFact[] {
  return things.slice(0, count).map((thing, index) => facts[language](thing, nameOf(language, index)))
}

/**
 * The nth thing that is said beside the facts. It mentions the same things without saying what they are called, so that a
 * word alone does not find a fact.
 */
export function plantedFiller(language: PlantedLanguage, n: number): string {
  const { sentences, words } = fillers[language]
  const thing = things[(n * 7) % things.length]![language === 'english' ? 0 : language === 'german' ? 2 : 5]
  const [one, other] = [words[(n * 5) % words.length]!, words[(n * 11 + 3) % words.length]!]
  const sentence = sentences[n % sentences.length]!.replace('{one}', one).replace('{other}', other)
  return n % 3 === 0
    ? sentence.replace('{thing}', thing)
    : sentence.replace('{thing}', words[(n * 13 + 1) % words.length]!)
}

type Thing = readonly [
  english: string,
  plural: string,
  german: string,
  germanPlural: string,
  article: 'mein' | 'meine',
  chinese: string,
]

const facts: Readonly<Record<PlantedLanguage, (thing: Thing, value: string) => PlantedFact>> = {
  english: ([noun, plural], value) => ({
    value,
    statement: `By the way, my ${noun} is called ${value}.`,
    wordings: [
      `${noun} called ${value}`,
      `What is my ${noun} called?`,
      `names of ${plural}`,
      value,
      `I no longer know how I named that ${noun}, please look it up for me`,
    ],
  }),
  german: ([, , noun, plural, article], value) => ({
    value,
    statement: `Übrigens heißt ${article} ${noun} ${value}.`,
    wordings: [
      `${noun} heißt ${value}`,
      `Wie heißt ${article} ${noun}?`,
      `Namen aller ${plural}`,
      value,
      `Ich weiß nicht mehr, wie ${article} ${noun} genannt wurde, schau bitte für mich nach`,
    ],
  }),
  chinese: ([, , , , , noun], value) => ({
    value,
    statement: `顺便说一下，我的${noun}叫${value}。`,
    wordings: [
      `${noun} 叫 ${value}`,
      `我的${noun}叫什么名字？`,
      `那个${noun}的名字`,
      value,
      `我不记得以前给${noun}起的名字了，请帮我查一下`,
    ],
  }),
}

function nameOf(language: PlantedLanguage, index: number): string {
  const { starts, ends } = names[language]
  return `${starts[index % starts.length]}${ends[Math.floor(index / starts.length + index) % ends.length]}`
}

const names = {
  english: {
    starts: ['Wind', 'Ember', 'Quill', 'Thistle', 'Marrow', 'Cobalt', 'Juniper', 'Saffron'],
    ends: ['mere', 'wick', 'stone', 'fall', 'gate'],
  },
  german: {
    starts: ['Seute', 'Brand', 'Fichten', 'Kiesel', 'Morgen', 'Silber', 'Hasel', 'Nebel'],
    ends: ['deern', 'horst', 'grund', 'tau', 'wacht'],
  },
  chinese: { starts: ['青', '白', '玄', '朱', '墨', '霜', '岚', '碧'], ends: ['鸢号', '螺舟', '麟阁', '雀轩', '鹿园'] },
} as const

const things: readonly Thing[] = [
  ['boat', 'boats', 'Boot', 'Boote', 'mein', '小船'],
  ['bakery', 'bakeries', 'Bäckerei', 'Bäckereien', 'meine', '面包店'],
  ['dentist', 'dentists', 'Zahnarzt', 'Zahnärzte', 'mein', '牙医'],
  ['donkey', 'donkeys', 'Esel', 'Esel', 'mein', '驴子'],
  ['novel', 'novels', 'Roman', 'Romane', 'mein', '小说'],
  ['village', 'villages', 'Dorf', 'Dörfer', 'mein', '村庄'],
  ['teacher', 'teachers', 'Lehrer', 'Lehrer', 'mein', '老师'],
  ['garden', 'gardens', 'Garten', 'Gärten', 'mein', '花园'],
  ['printer', 'printers', 'Drucker', 'Drucker', 'mein', '打印机'],
  ['guitar', 'guitars', 'Gitarre', 'Gitarren', 'meine', '吉他'],
  ['neighbour', 'neighbours', 'Nachbar', 'Nachbarn', 'mein', '邻居'],
  ['server', 'servers', 'Rechner', 'Rechner', 'mein', '服务器'],
  ['cottage', 'cottages', 'Hütte', 'Hütten', 'meine', '小屋'],
  ['parrot', 'parrots', 'Papagei', 'Papageien', 'mein', '鹦鹉'],
  ['company', 'companies', 'Firma', 'Firmen', 'meine', '公司'],
  ['bicycle', 'bicycles', 'Fahrrad', 'Fahrräder', 'mein', '自行车'],
  ['orchestra', 'orchestras', 'Orchester', 'Orchester', 'mein', '乐团'],
  ['vineyard', 'vineyards', 'Weinberg', 'Weinberge', 'mein', '葡萄园'],
  ['lawyer', 'lawyers', 'Anwalt', 'Anwälte', 'mein', '律师'],
  ['painting', 'paintings', 'Gemälde', 'Gemälde', 'mein', '油画'],
  ['bridge', 'bridges', 'Brücke', 'Brücken', 'meine', '桥梁'],
  ['horse', 'horses', 'Pferd', 'Pferde', 'mein', '骏马'],
  ['recipe', 'recipes', 'Rezept', 'Rezepte', 'mein', '食谱'],
  ['school', 'schools', 'Schule', 'Schulen', 'meine', '学校'],
  ['telescope', 'telescopes', 'Fernrohr', 'Fernrohre', 'mein', '望远镜'],
  ['tailor', 'tailors', 'Schneider', 'Schneider', 'mein', '裁缝'],
  ['island', 'islands', 'Insel', 'Inseln', 'meine', '岛屿'],
  ['choir', 'choirs', 'Chor', 'Chöre', 'mein', '合唱团'],
  ['podcast', 'podcasts', 'Podcast', 'Podcasts', 'mein', '播客'],
  ['factory', 'factories', 'Fabrik', 'Fabriken', 'meine', '工厂'],
  ['violin', 'violins', 'Geige', 'Geigen', 'meine', '小提琴'],
  ['lighthouse', 'lighthouses', 'Leuchtturm', 'Leuchttürme', 'mein', '灯塔'],
  ['caravan', 'caravans', 'Wohnwagen', 'Wohnwagen', 'mein', '房车'],
  ['library', 'libraries', 'Bibliothek', 'Bibliotheken', 'meine', '图书馆'],
  ['doctor', 'doctors', 'Hausarzt', 'Hausärzte', 'mein', '医生'],
  ['puppy', 'puppies', 'Welpe', 'Welpen', 'mein', '小狗'],
  ['street', 'streets', 'Straße', 'Straßen', 'meine', '街道'],
  ['theatre', 'theatres', 'Theater', 'Theater', 'mein', '剧院'],
  ['mountain', 'mountains', 'Berg', 'Berge', 'mein', '高山'],
  ['cousin', 'cousins', 'Cousine', 'Cousinen', 'meine', '表妹'],
]

const fillers: Readonly<
  Record<PlantedLanguage, { readonly sentences: readonly string[]; readonly words: readonly string[] }>
> = {
  english: {
    sentences: [
      'Yesterday I thought about the {thing} again while the {one} was still wet.',
      'Could you compare the {one} with the {other} and tell me what is cheaper?',
      'The {thing} needs some work before the {one} comes back in autumn.',
      'Here is a short plan: first the {one}, then the {other}, then a long rest.',
      'I would rather not decide about the {thing} until somebody has seen the {other}.',
    ],
    words: [
      'roof',
      'invoice',
      'kettle',
      'harvest',
      'meeting',
      'carpet',
      'ticket',
      'ladder',
      'storm',
      'budget',
      'window',
      'lamp',
      'train',
    ],
  },
  german: {
    sentences: [
      'Gestern habe ich wieder an {thing} gedacht, während {one} noch nass war.',
      'Kannst du {one} mit {other} vergleichen und mir sagen, was billiger ist?',
      'An {thing} ist noch einiges zu tun, bevor {one} im Herbst zurückkommt.',
      'Hier ein kurzer Plan: erst {one}, dann {other}, dann eine lange Pause.',
      'Über {thing} möchte ich nicht entscheiden, bevor jemand {other} gesehen hat.',
    ],
    words: [
      'Dach',
      'Rechnung',
      'Kessel',
      'Ernte',
      'Sitzung',
      'Teppich',
      'Fahrkarte',
      'Leiter',
      'Sturm',
      'Haushalt',
      'Fenster',
      'Lampe',
      'Zug',
    ],
  },
  chinese: {
    sentences: [
      '昨天我又想起了{thing}，那时{one}还是湿的。',
      '你能把{one}和{other}比较一下，告诉我哪个更便宜吗？',
      '在{one}秋天回来之前，{thing}还需要修理。',
      '这是一个简短的计划：先是{one}，然后是{other}，最后好好休息。',
      '在有人看到{other}之前，我不想决定{thing}的事情。',
    ],
    words: ['屋顶', '发票', '水壶', '收成', '会议', '地毯', '车票', '梯子', '暴风雨', '预算', '窗户', '台灯', '火车'],
  },
}
