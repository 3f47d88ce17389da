import type { Contributions, ErrorFormat, RawEndpoint, Route, SlashCommand } from '../capability.ts'
import type { Provider } from '../model.ts'
import type { McpContributionSource } from './mcp/catalogue.ts'

export interface ServerContribution {
  readonly name: string
  readonly routes?: readonly Route[]
  readonly rawEndpoints?: readonly RawEndpoint[]
  readonly errorFormats?: readonly ErrorFormat[] | undefined
  readonly providers?: readonly Pick<Provider, 'kind' | 'script'>[] | undefined
  readonly slashCommands?: Readonly<Record<string, SlashCommand>> | undefined
  /** Opened with the first request of an MCP client. */
  readonly mcp?: McpContributionSource | undefined
}

/** Collects what started capabilities add to a server, in their order. An error names the capability that failed. */
export function collectContributions(
  started: Omit<Contributions, 'choices' | 'startLines'>,
): Promise<readonly ServerContribution[]> {
  return Promise.all(
    started.capabilities.map(async ({ name, http, models, slashCommands }) => ({
      name,
      providers: models?.providers,
      slashCommands,
      routes: await started.routes(name),
      rawEndpoints: (await started.rawEndpoints?.(name)) ?? [],
      errorFormats: http?.errors,
      mcp: started.mcp(name),
    })),
  )
}

/** The routes of the host, then of capabilities; a page at `/` replaces the host's. Throws where two have one method and path. */
export function allRoutes(
  host: readonly Route[],
  contributions: readonly Pick<ServerContribution, 'name' | 'routes'>[],
): readonly Route[] {
  const owners = new Map<string, string>()
  const hasPage = contributions.some(({ routes = [] }) => routes.some(isFrontPage))
  const all = [
    { name: undefined, routes: hasPage ? host.filter((each) => !isFrontPage(each)) : host },
    ...contributions,
  ]
  return all.flatMap(({ name, routes = [] }) => {
    const owner = name === undefined ? 'the server itself' : `the capability ${name}`
    for (const { method, path, header, handle } of routes) {
      if (typeof handle !== 'function') throw new Error(`${method} ${path} of ${owner} has no function "handle".`)
      const key = `${method} ${path.replaceAll(/:\w+/g, ':')} ${header ?? ''}`
      const other = owners.get(key)
      if (other !== undefined) throw new Error(`${method} ${path} of ${owner} is already an endpoint of ${other}.`)
      owners.set(key, owner)
    }
    return routes
  })
}

function isFrontPage({ method, path }: Route): boolean {
  return method === 'GET' && path === '/'
}
