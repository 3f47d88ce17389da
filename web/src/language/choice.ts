import { LANGUAGE_KEY } from './language.ts'

/** What a language calls itself: `Deutsch`. */
export function languageTitle(tag: string): string {
  return new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag
}

/** Loads the page again, in that language: nothing that was drawn before keeps the old one. */
export function chooseLanguage(choice: string): void {
  if (choice === 'system') localStorage.removeItem(LANGUAGE_KEY)
  else localStorage.setItem(LANGUAGE_KEY, choice)
  location.reload()
}
