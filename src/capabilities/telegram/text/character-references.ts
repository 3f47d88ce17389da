/** Decodes `&amp;`, `&#8364;`, `&#x20AC;` and the like. Any other text stays as it is. */
export function decodeReferences(text: string): string {
  return text.replaceAll(REFERENCE, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name) ?? whole
    return codePointText(decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal))
  })
}

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z]\w{1,31}));/g

/** The names that people and models use. The complete list has about two thousand. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ...pairs(
    'amp & lt < gt > quot " apos \' copy © reg ® trade ™ hellip … mdash — ndash – bull • middot · deg ° sect § para ¶',
  ),
  ...pairs(
    'lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ laquo « raquo » lsaquo ‹ rsaquo › dagger † Dagger ‡ check ✓',
  ),
  ...pairs(
    'euro € pound £ yen ¥ cent ¢ times × divide ÷ plusmn ± minus − frac12 ½ frac14 ¼ frac34 ¾ sup2 ² sup3 ³ micro µ',
  ),
  ...pairs(
    'le ≤ ge ≥ ne ≠ asymp ≈ infin ∞ larr ← uarr ↑ rarr → darr ↓ harr ↔ lArr ⇐ rArr ⇒ hArr ⇔ vert | bsol \\ sol /',
  ),
  ...pairs(
    'lbrace { rbrace } lbrack [ rbrack ] lpar ( rpar ) ast * lowbar _ grave ` num # excl ! quest ? commat @ dollar $',
  ),
  ...([
    ['nbsp', '\u00a0'],
    ['ensp', '\u2002'],
    ['emsp', '\u2003'],
    ['thinsp', '\u2009'],
    ['zwnj', '\u200c'],
    ['zwj', '\u200d'],
    ['shy', '\u00ad'],
  ] as const),
])

function pairs(list: string): [string, string][] {
  return Array.from(list.matchAll(/(\w+) (\S)/gu), ([, name = '', sign = '']) => [name, sign])
}

function codePointText(code: number): string {
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : '\ufffd'
}
