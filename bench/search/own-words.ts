/** One thing that can be said of a place: as its article tells it, and as somebody asks who does not know the article. */
interface Trait {
  readonly told: string
  readonly asked: string
}

/** What articles and questions are made of, in one language. */
export interface PlaceWords {
  readonly beginnings: readonly string[]
  readonly middles: readonly string[]
  readonly ends: readonly string[]
  readonly traits: readonly (readonly Trait[])[]
  /** True of any place: they say nothing. */
  readonly fillers: readonly string[]
  readonly blank: string
  sentence(name: string, told: string): string
  question(one: string, other: string): string
}

const trait = (told: string, asked: string): Trait => ({ told, asked })

export const englishWords: PlaceWords = {
  beginnings: ['Vel', 'Tor', 'Mar', 'Ash', 'Kel', 'Bran', 'Sil', 'Dun'],
  middles: ['mo', 'be', 'ri', 'wa', 'ne', 'lo'],
  ends: ['ra', 'ford', 'wick', 'stad', 'via', 'thorpe'],
  blank: ' ',
  sentence: (name, told) => `${name} ${told}.`,
  question: (one, other) => `which places ${one} and ${other}?`,
  fillers: [
    ' Much has been written about it.',
    ' Visitors usually hear of this on their first day.',
    ' The records of that time are kept in the town hall.',
    ' Opinions about this differ, as they do everywhere.',
    ' A small museum tells the whole story, from the beginning to the present day.',
  ],
  traits: [
    [
      trait('lies on the shore of a mountain lake', 'are beside lakes in the mountains'),
      trait('stands where a slow river meets the sea', 'lie at river mouths near the sea'),
      trait('is surrounded by a desert of salt', 'have salt deserts surrounding them'),
      trait('was built on a cliff above the northern sea', 'were built on cliffs over the sea'),
      trait('is hidden deep in a forest of cedars', 'hide in cedar forests'),
      trait('occupies an island that winter storms cut off', 'are islands cut off by storms in winter'),
      trait('spreads over seven low hills', 'spread across hills'),
      trait('sits in the crater of a dead volcano', 'sit inside volcanic craters'),
    ],
    [
      trait('was founded by monks who had fled a war', 'owe their founding to monks fleeing wars'),
      trait('was first settled by fishermen', 'had fishing people as the first settlers'),
      trait('began as a camp of gold miners', 'began with miners digging for gold'),
      trait('grew around the fortress of an exiled king', 'grew around fortresses of kings in exile'),
      trait('was planned on paper by a queen who never saw it', 'were planned by queens'),
      trait('was a market of nomads before it had a wall', 'used to be markets for nomadic traders'),
      trait('goes back to a leper hospital', 'go back to hospitals for lepers'),
      trait('was laid out for the workers of a railway', 'were laid out for railway workers'),
    ],
    [
      trait('has lived from blowing glass for centuries', 'live from glass blowers and their work'),
      trait('exports dried figs and almonds', 'are exporting figs or almonds'),
      trait('is known for its bell founders', 'are known for founding bells'),
      trait('breeds horses for racing', 'are breeding race horses'),
      trait('weaves carpets from red wool', 'have weavers of woollen carpets'),
      trait('prints most maps of the region', 'print maps'),
      trait('makes violins of spruce', 'have makers of violins'),
      trait('brews a dark beer with honey', 'have breweries using honey for beer'),
    ],
    [
      trait('celebrates the return of the storks each spring', 'celebrate when storks return in spring'),
      trait('has a library without any doors', 'have libraries with no door'),
      trait('lost its harbour in an earthquake', 'had harbours lost to earthquakes'),
      trait('keeps a clock that runs backwards', 'keep clocks running backwards'),
      trait('forbids carriages on its bridges', 'forbid a carriage on any bridge'),
      trait('elects its mayor by drawing lots', 'are electing mayors by lot'),
      trait('is lit by oil lamps to this day', 'are still lit with oil lamps'),
      trait('buries its dead in painted boats', 'bury the dead in boats'),
    ],
  ],
}

export const chineseWords: PlaceWords = {
  beginnings: ['维', '托', '玛', '阿', '凯', '布', '西', '敦'],
  middles: ['莫', '贝', '里', '瓦', '内', '洛'],
  ends: ['拉镇', '福德', '维克', '斯塔德', '维亚', '索普'],
  blank: '',
  sentence: (name, told) => `${name}${told}。`,
  question: (one, other) => `有哪些地方${one}，而且${other}？`,
  fillers: [
    '关于这一点有很多文字记载。',
    '游客通常在第一天就会听说此事。',
    '当时的档案保存在市政厅里。',
    '和其他地方一样，人们对此看法不一。',
    '一座小博物馆讲述了从古至今的全部经过。',
  ],
  traits: [
    [
      trait('位于高山湖泊的岸边', '靠近山里的湖泊'),
      trait('坐落在一条大河的入海口', '在河流入海的地方'),
      trait('四周是一片盐碱沙漠', '被沙漠包围'),
      trait('建在北方海岸的悬崖上', '修建在海边悬崖之上'),
      trait('隐藏在雪松森林深处', '藏在森林里面'),
      trait('占据着一座冬季因风暴而与外界隔绝的岛屿', '是冬天被风暴隔绝的岛屿'),
      trait('分布在七座低矮的山丘上', '建在许多山丘之上'),
      trait('处于一座死火山的火山口中', '在火山口里面'),
    ],
    [
      trait('由逃避战争的僧侣建立', '是躲避战争的僧侣创建的'),
      trait('最早的居民是渔民', '最初有渔民居住'),
      trait('起源于淘金者的营地', '从淘金者的营地发展而来'),
      trait('围绕一位流亡国王的城堡发展起来', '因为国王的城堡而兴起'),
      trait('由一位从未到过这里的女王规划', '是女王规划的'),
      trait('在有城墙之前是游牧民族的集市', '曾经是游牧民族的市场和集市'),
      trait('的历史可以追溯到一所麻风病医院', '源自麻风病医院'),
      trait('是为铁路工人修建的', '为了铁路工人而建'),
    ],
    [
      trait('几百年来以吹制玻璃为生', '靠玻璃工艺谋生'),
      trait('出口无花果干和杏仁', '向外出口杏仁或者无花果'),
      trait('以铸造铜钟闻名', '因铜钟而闻名'),
      trait('培育赛马', '培育参加比赛的赛马'),
      trait('用红色羊毛编织地毯', '编织羊毛地毯'),
      trait('印刷了该地区的大部分地图', '印刷地图'),
      trait('用云杉制作小提琴', '有制作小提琴的工匠'),
      trait('酿造加蜂蜜的黑啤酒', '用蜂蜜酿造啤酒'),
    ],
    [
      trait('每年春天庆祝白鹳归来', '春天庆祝白鹳回来'),
      trait('有一座没有门的图书馆', '图书馆没有门'),
      trait('在一次地震中失去了港口', '港口毁于地震'),
      trait('保存着一座倒走的时钟', '有倒着走的时钟'),
      trait('禁止马车上桥', '桥上不许马车通行'),
      trait('通过抽签选举市长', '用抽签的办法选出市长'),
      trait('至今仍用油灯照明', '现在还在用油灯'),
      trait('用彩绘的船安葬死者', '把死者安葬在船里'),
    ],
  ],
}
