/** A browser as far as cookies and redirections go. */
export interface CookieBrowser {
  /** Cookies by name, with the path that they are for. */
  readonly cookies: Map<string, { readonly value: string; readonly path: string; readonly attributes: string }>
  /** Asks for one address, and follows nothing. */
  get(address: string, init?: RequestInit): Promise<Response>
  /** Follows redirections until there is none, or until one leads to what `until` says: the last answer, and where it came from. */
  follow(address: string, until?: (next: string) => boolean): Promise<Arrival>
}

export interface Arrival {
  readonly address: string
  readonly response: Response
  readonly text: string
}

/** Like other browsers it shares the cookies of a host between its ports. */
export function cookieBrowser(): CookieBrowser {
  const cookies: CookieBrowser['cookies'] = new Map()
  const get = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const { pathname } = new URL(address)
    const fitting = [...cookies].filter(
      ([, { path }]) => pathname === path || pathname.startsWith(path.replace(/\/?$/, '/')),
    )
    const headers = new Headers({ accept: 'text/html', ...Object.fromEntries(new Headers(init.headers)) })
    if (fitting.length > 0) headers.set('cookie', fitting.map(([name, { value }]) => `${name}=${value}`).join('; '))
    const response = await fetch(address, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) keep(cookies, line, pathname)
    return response
  }
  return {
    cookies,
    get,
    async follow(address, until = () => false) {
      for (let hop = 0; hop < 15; hop += 1) {
        const response = await get(address)
        const text = await response.text()
        const location = response.headers.get('location')
        if (location === null) return { address, response, text }
        const next = new URL(location, address).href
        if (until(next)) return { address: next, response, text }
        address = next
      }
      throw new Error(`more than 15 redirections, the last to ${address}`)
    },
  }
}

function keep(cookies: CookieBrowser['cookies'], line: string, pathname: string): void {
  const [pair = '', ...rest] = line.split('; ')
  const [name = '', value = ''] = pair.split(/=(.*)/s)
  const attributes = rest.join('; ')
  const path = /(?:^|; )path=([^;]+)/i.exec(attributes)?.[1] ?? (pathname.replace(/\/[^/]*$/, '') || '/')
  const isOver = /max-age=0\b/i.test(attributes) || /expires=Thu, 01 Jan 1970/i.test(attributes)
  if (isOver) cookies.delete(name)
  else cookies.set(name, { value, path, attributes })
}
