import { t } from '../language/language.ts'
export type Theme = 'light' | 'dark' | 'system'

/** In the order of their list. */
export const themes: readonly { readonly id: Theme; readonly title: string }[] = [
  { id: 'system', title: t`As the system` },
  { id: 'light', title: t`Light` },
  { id: 'dark', title: t`Dark` },
]

const KEY = 'foreword-theme'
const dark = globalThis.matchMedia('(prefers-color-scheme: dark)')

/** The scheme that the person chose; `system` unless they did. */
export function chosenTheme(): Theme {
  const value = localStorage.getItem(KEY)
  return value === 'light' || value === 'dark' ? value : 'system'
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, theme)
  applyTheme()
}

/** Sets the scheme of the page, now and whenever the system's changes. */
export function followTheme(): void {
  applyTheme()
  dark.addEventListener('change', applyTheme)
}

function applyTheme(): void {
  const theme = chosenTheme()
  document.documentElement.dataset['theme'] = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme
}
