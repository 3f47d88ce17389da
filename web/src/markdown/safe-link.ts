/** The address of a link that a person may follow from the text of a model; `undefined` where it is none of the web or mail. */
export function safeLink(href: string): string | undefined {
  if (!URL.canParse(href)) return undefined
  const { protocol, href: url } = new URL(href)
  return protocol === 'https:' || protocol === 'http:' || protocol === 'mailto:' ? url : undefined
}
