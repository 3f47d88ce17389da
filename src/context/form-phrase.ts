/** Forms that the core and the capabilities make, each as it follows `sent`. */
const phrases: Readonly<Record<string, string>> = {
  full: 'in full',
  excerpt: 'as an excerpt',
  list: 'as a list',
  'list-names': 'as a list of names',
  'list-search': 'as a hint to search',
  'tool-output-excerpt': 'with excerpts of tool results',
  'tool-output-cleared': 'without tool results',
  words: 'in words of the model, with an index',
  index: 'as an index',
  'image-marker': 'with a marker in place of images',
}

/** A form as people read it, behind a word such as `sent`: `as a list`. A form that the core does not know is given by its name. Pure. */
export function formPhrase(form: string): string {
  return phrases[form] ?? `as ${form.replaceAll('-', ' ')}`
}
