import { LANGUAGE_KEY } from './language.ts'

/** Set while the page is loaded again because of a choice. */
const CHOSEN_KEY = 'foreword-language-chosen'

/** What a language calls itself: `Deutsch`. */
export function languageTitle(tag: string): string {
  return new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag
}

/** Loads the page again, in that language: nothing that was drawn before keeps the old one. See `wasChosenJustNow`. */
export function chooseLanguage(choice: string): void {
  if (choice === 'system') localStorage.removeItem(LANGUAGE_KEY)
  else localStorage.setItem(LANGUAGE_KEY, choice)
  sessionStorage.setItem(CHOSEN_KEY, 'true')
  location.reload()
}

/** Whether the page was loaded for a choice of its language; true once, so that the focus returns to where it was made. */
export function wasChosenJustNow(): boolean {
  const was = sessionStorage.getItem(CHOSEN_KEY) !== null
  sessionStorage.removeItem(CHOSEN_KEY)
  return was
}
