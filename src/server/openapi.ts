import { defined } from '../platform.ts'
import { Hono } from 'hono'
import { type DescribeRouteOptions, describeRoute, generateSpecs, resolver } from 'hono-openapi'
import { z } from 'zod'
import type { Route } from '../capability.ts'
import { neededScope } from './route.ts'
import { errorSchema } from './schema.ts'

export interface OpenapiInfo {
  readonly title: string
  readonly version: string
  readonly description?: string
  /** The home is that of a person. `false` unless given. */
  readonly isOfPerson?: boolean
}

/** The OpenAPI document of these routes, made from the schemas that check their requests. */
export function openapiDocument(
  routes: readonly Route[],
  { isOfPerson = false, ...info }: OpenapiInfo,
): Promise<unknown> {
  const app = new Hono()
  for (const one of operations(routes))
    app.on(one.method, one.path, describeRoute(describe(one, isOfPerson)), (context) => context.body(null))
  return generateSpecs(app, {
    excludeStaticFile: false,
    documentation: {
      info,
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer', description: SCOPES } } },
      security: [{ token: ['admin'] }],
    },
  })
}

/** One operation for each method and path: what requests with another header are answered stands in its description. */
function operations(routes: readonly Route[]): readonly Route[] {
  const groups = Map.groupBy(routes, ({ method, path }) => `${method} ${path}`)
  return [...groups.values()].map((group) => {
    const main = group.find(({ header }) => header === undefined) ?? group[0]!
    const others = group.filter((each) => each !== main)
    if (others.length === 0) return main
    const variants = others.map(({ header, summary }) => `With the header \`${header}\`: ${summary}.`)
    return { ...main, description: [main.description, ...variants].filter((each) => each !== undefined).join(' ') }
  })
}

const SCOPES =
  'The token of the owner, or a named one. `security` of an operation names the scope that it needs: `read`, `talk`, `approve` and ' +
  '`admin` each include the ones before; `mcp` is for /mcp alone.'

function describe(route: Route, isOfPerson: boolean): DescribeRouteOptions {
  const scope = neededScope(route, isOfPerson)
  return {
    tags: [route.tag],
    summary: route.summary,
    ...defined({ description: route.description }),
    security: scope === 'none' ? [] : [{ token: [scope] }],
    parameters: parameters(route),
    ...requestBody(route),
    responses: responses(route),
  }
}

function requestBody({ body, form }: Route): Pick<DescribeRouteOptions, 'requestBody'> {
  const schema = form ?? body
  if (schema === undefined) return {}
  const media = form === undefined ? 'application/json' : 'multipart/form-data'
  return {
    requestBody: { required: !schema.safeParse({}).success, content: { [media]: { schema: resolver(schema) } } },
  }
}

type Responses = NonNullable<DescribeRouteOptions['responses']>

function responses({ answers }: Route): Responses {
  const all: Responses = {
    default: { description: 'An error', content: { 'application/json': { schema: resolver(errorSchema) } } },
  }
  for (const [status, { description, media, schema }] of Object.entries(answers)) {
    const type = media ?? (schema === undefined ? undefined : 'application/json')
    const content = type === undefined ? {} : { content: { [type]: schema ? { schema: resolver(schema) } : {} } }
    all[status] = { description, ...content }
  }
  return all
}

type Parameters = NonNullable<DescribeRouteOptions['parameters']>

/** The document generator reads the path's parameters itself. */
function parameters({ query, headers = {} }: Route): Parameters {
  const fromHeaders = Object.entries(headers).map(([name, description]) => ({
    in: 'header',
    name,
    description,
    schema: { type: 'string' as const },
  }))
  if (query === undefined) return fromHeaders
  const schema = z.toJSONSchema(query, { io: 'input' })
  const fromQuery = Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    in: 'query',
    name,
    required: schema.required?.includes(name) ?? false,
    schema: property as NonNullable<Exclude<Parameters[number], { $ref: string }>['schema']>,
  }))
  return [...fromQuery, ...fromHeaders]
}
