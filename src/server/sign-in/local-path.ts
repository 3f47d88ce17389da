/** Where the origin does not matter. */
const ANYWHERE = 'http://gateway.invalid'

/** The longest path that is kept for the end of a sign-in, characters. */
const LONGEST = 1_000

/** The path of this gateway in a text that anybody may have written: `/` for everything else, and without a query. */
export function localPath(text: string | undefined): string {
  if (text?.startsWith('/') !== true || text.length > LONGEST || !URL.canParse(text, ANYWHERE)) return '/'
  const { origin, pathname } = new URL(text, ANYWHERE)
  // A browser reads `//name` as another host, also where it is left once `/./` is taken out.
  return origin === ANYWHERE && !/^\/[/\\]/.test(pathname) && !pathname.startsWith('/sign-in') ? pathname : '/'
}
