/**
 * A sentence for people, or a part of one, in English. The languages of the page have each text that carries this tag; the page
 * finds it by its words, so nothing but the sentence itself is stored, sent or given to a model. Pure.
 */
export function phrase(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return texts.reduce((whole, text, index) => `${whole}${values[index - 1]}${text}`)
}
