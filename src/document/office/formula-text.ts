import { attributeValue, scanXml } from './xml-scan.ts'

/**
 * Puts the formulas of a Word document (OMML) as text in the place of their elements: TeX between `$`, or between `$$`
 * where a formula is a paragraph of its own.
 *
 * @param onUnknown called with the name of each element of a formula that is not known; its text stays
 */
export function formulasAsText(xml: string, onUnknown: (name: string) => void): string {
  return xml.replace(
    /<((?:\w+:)?)(oMathPara|oMath)(?:\s[^>]*)?(?<!\/)>[\s\S]*?<\/\1\2>/g,
    (formula, _prefix: string, kind: string) => {
      const tex = texOf(parsedElement(formula), onUnknown).trim()
      const sign = kind === 'oMathPara' ? '$$' : '$'
      const text = `${sign}${tex}${sign}`.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
      return tex === '' ? '' : `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
    },
  )
}

interface MathElement {
  readonly name: string
  readonly attributes: string
  readonly children: (MathElement | string)[]
}

function parsedElement(xml: string): MathElement {
  const top: MathElement = { name: '', attributes: '', children: [] }
  const open = [top]
  scanXml(xml, {
    open(name, attributes) {
      const element = { name, attributes, children: [] }
      open.at(-1)!.children.push(element)
      open.push(element)
    },
    close: () => void (open.length > 1 && open.pop()),
    text: (text) => void open.at(-1)!.children.push(text),
  })
  return top
}

/** The TeX of the elements within one. */
function texOf(parent: MathElement | undefined, onUnknown: (name: string) => void): string {
  const inner = (element: MathElement | undefined) => texOf(element, onUnknown).trim()
  const group = (element: MathElement | undefined) => `{${inner(element)}}`

  function tex(element: MathElement): string {
    const { name } = element
    const part = (wanted: string) => child(element, wanted)
    const property = (wanted: string) => propertyOf(element, wanted)
    const base = () => group(part('e'))
    switch (name) {
      case 'r':
        return runText(element)
      case 'f': {
        const [above, below] = [inner(part('num')), inner(part('den'))]
        const type = property('type')
        if (type === 'lin' || type === 'skw') return `{${above}}/{${below}}`
        return type === 'noBar' ? `{${above} \\atop ${below}}` : `\\frac{${above}}{${below}}`
      }
      case 'rad': {
        const degree = inner(part('deg'))
        return `\\sqrt${degree === '' ? '' : `[${degree}]`}${base()}`
      }
      case 'sSup':
        return `${base()}^${group(part('sup'))}`
      case 'sSub':
        return `${base()}_${group(part('sub'))}`
      case 'sSubSup':
        return `${base()}_${group(part('sub'))}^${group(part('sup'))}`
      case 'sPre':
        return `{}_${group(part('sub'))}^${group(part('sup'))}${base()}`
      case 'nary': {
        const sign = property('chr') ?? '∫'
        const [sub, sup] = [inner(part('sub')), inner(part('sup'))]
        const limits = `${sub === '' ? '' : `_{${sub}}`}${sup === '' ? '' : `^{${sup}}`}`
        return `${naryCommands[sign] ?? escapedTex(sign)}${limits}${base()}`
      }
      case 'func':
        return `${functionName(inner(part('fName')))}${base()}`
      case 'limLow':
        return `${functionName(inner(part('e')))}_${group(part('lim'))}`
      case 'limUpp':
        return `${functionName(inner(part('e')))}^${group(part('lim'))}`
      case 'd': {
        const separator = property('sepChr') ?? '|'
        const parts = element.children.flatMap((each) => (isElement(each) && each.name === 'e' ? [inner(each)] : []))
        const inside = parts.join(separator === '' ? '' : ` ${delimiter(separator)} `)
        return `\\left${delimiter(property('begChr') ?? '(')} ${inside} \\right${delimiter(property('endChr') ?? ')')}`
      }
      case 'm':
        return `\\begin{matrix} ${rows(element, 'mr', (row) => rows(row, 'e', inner, ' & '))} \\end{matrix}`
      case 'eqArr':
        return `\\begin{aligned} ${rows(element, 'e', inner)} \\end{aligned}`
      case 'acc': {
        const sign = property('chr') ?? '\u0302'
        const command = accents[sign]
        return command === undefined ? `\\overset{${escapedTex(sign)}}${base()}` : `${command}${base()}`
      }
      case 'bar':
        return `${property('pos') === 'top' ? '\\overline' : '\\underline'}${base()}`
      case 'groupChr': {
        const sign = property('chr') ?? '⏟'
        if (sign === '⏟') return `\\underbrace${base()}`
        if (sign === '⏞') return `\\overbrace${base()}`
        return `${property('pos') === 'top' ? '\\overset' : '\\underset'}{${escapedTex(sign)}}${base()}`
      }
      case 'borderBox':
        return `\\boxed${base()}`
      case 'phant':
        return /^(?:0|off|false)$/.test(property('show') ?? '') ? `\\phantom${base()}` : base()
      case 'box':
        return base()
      case 'br':
        return ' '
    }
    // What was deleted under change tracking, and properties, are no part of the formula.
    if (/Pr$|^(?:del|moveFrom|bookmark(?:Start|End)|proofErr|lastRenderedPageBreak)$/.test(name)) return ''
    if (!transparent.has(name)) onUnknown(name)
    return texOf(element, onUnknown)
  }

  const pieces = (parent?.children ?? []).map((each) => (isElement(each) ? tex(each) : escapedTex(each)))
  return pieces.filter((piece) => piece.trim() !== '' || piece === ' ').join('')
}

/** Elements that only hold others. */
const transparent = new Set(['oMath', 'oMathPara', 'e', 'num', 'den', 'deg', 'sub', 'sup', 'lim', 'fName', 'mr', 't'])
for (const name of ['ins', 'moveTo', 'hyperlink', 'smartTag', 'customXml', 'sdt', 'sdtContent', 'tab'])
  transparent.add(name)

function isElement(value: MathElement | string): value is MathElement {
  return typeof value !== 'string'
}

function child(element: MathElement | undefined, name: string): MathElement | undefined {
  return element?.children.filter(isElement).find((each) => each.name === name)
}

/** A value such as that of `m:chr` in `m:naryPr`; `undefined` where there is none. */
function propertyOf(element: MathElement, name: string): string | undefined {
  const found = child(child(element, `${element.name}Pr`), name)
  return found && (attributeValue(found.attributes, String.raw`(?:\w+:)?val`) ?? '')
}

function rows(element: MathElement, name: string, text: (row: MathElement) => string, between = ' \\\\ '): string {
  return element.children.flatMap((each) => (isElement(each) && each.name === name ? [text(each)] : [])).join(between)
}

/** The text of a run: symbols as they are, and text that is no formula as such. */
function runText(run: MathElement): string {
  const text = run.children
    .flatMap((each) => (isElement(each) && each.name === 't' ? each.children : []))
    .map((each) => (isElement(each) ? '' : each))
    .join('')
  const isPlain = child(child(run, 'rPr'), 'nor') !== undefined
  return isPlain && text.trim() !== '' ? `\\text{${escapedTex(text)}}` : escapedTex(text)
}

function escapedTex(text: string): string {
  return text.replaceAll(/[\\{}$%#&_^~]/g, (sign) =>
    sign === '\\' ? '\\backslash ' : sign === '^' ? '\\hat{}' : sign === '~' ? '\\sim ' : `\\${sign}`,
  )
}

/** `sin` as `\sin`; a name that TeX does not know as an operator. What follows a name, such as its limits, stays. */
function functionName(tex: string): string {
  const name = /^\{?([A-Za-z]{2,})\}?/.exec(tex)
  if (name === null) return tex
  const command = knownFunctions.has(name[1]!) ? `\\${name[1]}` : `\\operatorname{${name[1]}}`
  return command + tex.slice(name[0].length)
}

const knownFunctions = new Set(
  'sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp lim limsup liminf max min sup inf det dim gcd ker deg arg hom Pr'.split(
    ' ',
  ),
)

function delimiter(sign: string): string {
  if (sign === '') return '.'
  return delimiters[sign] ?? escapedTex(sign)
}

const delimiters: Readonly<Record<string, string>> = {
  '⟨': '\\langle',
  '〈': '\\langle',
  '⟩': '\\rangle',
  '〉': '\\rangle',
  '⌊': '\\lfloor',
  '⌋': '\\rfloor',
  '⌈': '\\lceil',
  '⌉': '\\rceil',
  '‖': '\\|',
}

const naryCommands: Readonly<Record<string, string>> = {
  '∑': '\\sum',
  '∏': '\\prod',
  '∐': '\\coprod',
  '∫': '\\int',
  '∬': '\\iint',
  '∭': '\\iiint',
  '∮': '\\oint',
  '⋃': '\\bigcup',
  '⋂': '\\bigcap',
  '⋁': '\\bigvee',
  '⋀': '\\bigwedge',
  '⨁': '\\bigoplus',
  '⨂': '\\bigotimes',
}

const accents: Readonly<Record<string, string>> = {
  '\u0300': '\\grave',
  '\u0301': '\\acute',
  '\u0302': '\\hat',
  '\u0303': '\\tilde',
  '\u0304': '\\bar',
  '\u0305': '\\overline',
  '\u0306': '\\breve',
  '\u0307': '\\dot',
  '\u0308': '\\ddot',
  '\u030c': '\\check',
  '\u20d7': '\\vec',
  '\u20d6': '\\overleftarrow',
  '¯': '\\bar',
  '^': '\\hat',
  '~': '\\tilde',
}
