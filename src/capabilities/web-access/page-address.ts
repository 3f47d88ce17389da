import { parsedUrl } from './checked-url.ts'

/**
 * What makes a page of the web the same document, whether it was found or opened: its URL in one spelling, without its
 * fragment. Of what is no URL, the text as it was given.
 */
export function pageAddress(url: string): string {
  const parsed = parsedUrl(url)
  if (!parsed) return url.trim()
  parsed.hash = ''
  return parsed.href
}
