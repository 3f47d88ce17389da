/** A phrase of the gateway as a sentence. A first word that is a name, such as `data/token`, stays as it is written. */
export function sentence(phrase: string): string {
  const whole = beginsWithWord(phrase) ? `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}` : phrase
  return /[.!?]$/.test(whole) ? whole : `${whole}.`
}

/** Whether the first word is one of the language: letters alone, and something after it. */
export function beginsWithWord(phrase: string): boolean {
  return /^[a-z]+[\s:,;]/i.test(phrase)
}
