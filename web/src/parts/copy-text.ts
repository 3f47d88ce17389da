import { t } from '../language/language.ts'
import { showToast } from './toasts.tsx'

/** Puts a text on the clipboard. Whether it is there; where the browser refuses, a note says so. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    showToast({ text: t`The browser does not allow this page to copy. Select the text and copy it yourself.` })
    return false
  }
}
