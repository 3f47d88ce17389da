import type { Page } from 'playwright-core'

/** Words that are in nearly every English sentence, and in no German one. */
export const ENGLISH_WORDS =
  /\b(?:the|and|of|is|are|this|that|with|no|not|yet|your|you|each|from|to|be|has|have|only|all|it|its|by|on|for)\b/i

/** Texts that a person sees on the page, each once, without code, names and what people have written. `except`: a selector of more without which they are. */
export async function seenTexts(page: Page, except = '#none'): Promise<readonly string[]> {
  const texts = await page.evaluate<readonly string[]>(`(() => {
    const exact = 'noscript, script, style, code, kbd, pre, bdi, time, textarea, [data-model], ${except}'
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts = []
    while (walker.nextNode())
      if (!walker.currentNode.parentElement.closest(exact)) texts.push(walker.currentNode.nodeValue)
    return texts
  })()`)
  return plainTexts(texts)
}

/** Texts that are heard, or seen under the pointer, in the tab, or in an empty field. */
export async function heardTexts(page: Page): Promise<readonly string[]> {
  const texts = await page.evaluate<readonly string[]>(`(() => {
    const texts = [document.title]
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]'))
      for (const name of ['aria-label', 'title', 'placeholder']) texts.push(element.getAttribute(name) ?? '')
    return texts
  })()`)
  return plainTexts(texts)
}

function plainTexts(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== '')
}
