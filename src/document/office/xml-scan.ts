/** The callbacks of `scanXml`, called in document order. Names come without their prefix. */
interface XmlReader {
  open?(name: string, attributes: string): void
  close?(name: string): void
  /** With its entities resolved; a run of text may come in pieces. */
  text?(text: string): void
}

/** Goes through an XML text once. Declared entities are never resolved, and what is not well formed is taken as it comes. */
export function scanXml(xml: string, reader: XmlReader): void {
  let at = 0
  while (at < xml.length) {
    const tag = xml.indexOf('<', at)
    if (tag === -1) return
    if (tag > at) reader.text?.(resolved(xml.slice(at, tag)))
    at = afterMarkup(xml, tag, reader)
  }
}

/** The value of an attribute, by its full name; `attributes` as `open` gets them. */
export function attributeValue(attributes: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes)
  const value = found?.[1] ?? found?.[2]
  return value === undefined ? undefined : resolved(value)
}

function afterMarkup(xml: string, tag: number, reader: XmlReader): number {
  if (xml.startsWith('<!--', tag)) return after(xml, '-->', tag + 4)
  if (xml.startsWith('<![CDATA[', tag)) {
    const next = after(xml, ']]>', tag + 9)
    reader.text?.(xml.slice(tag + 9, next - 3))
    return next
  }
  if (xml.startsWith('<!', tag) || xml.startsWith('<?', tag)) return after(xml, '>', tag)
  const end = endOfTag(xml, tag + 1)
  tellTag(xml.slice(tag + 1, end), reader)
  return end + 1
}

function tellTag(tag: string, reader: XmlReader): void {
  if (tag.startsWith('/')) return reader.close?.(localName(tag.slice(1).trim()))
  const closed = tag.endsWith('/')
  const space = tag.search(/\s/)
  const name = localName(space === -1 ? (closed ? tag.slice(0, -1) : tag) : tag.slice(0, space))
  reader.open?.(name, space === -1 ? '' : tag.slice(space))
  if (closed) reader.close?.(name)
}

/** A `>` within quotes does not end a tag. */
function endOfTag(xml: string, from: number): number {
  let quote = ''
  for (let at = from; at < xml.length; at += 1) {
    const character = xml[at]!
    if (quote !== '') quote = character === quote ? '' : quote
    else if (character === '>') return at
    else if (character === '"' || character === "'") quote = character
  }
  return xml.length
}

function after(xml: string, mark: string, from: number): number {
  const found = xml.indexOf(mark, from)
  return found === -1 ? xml.length + mark.length : found + mark.length
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function resolved(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
