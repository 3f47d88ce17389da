import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server'
import type { Runtime } from '../../runtime.ts'
import { parsedAddress, sessionAddress, subjectAddress } from './addresses.ts'
import { scenarioJsonSchema } from '../../context/scenario.ts'
import { scenarioAddress } from './assemble-definition.ts'
import { callText } from './call-resource.ts'
import type { McpResources } from './catalogue.ts'
import { resourceTemplates } from './definitions.ts'
import { invalidParams } from './protocol-server.ts'
import { readSession } from './session-resource.ts'
import { readSubject, subjectParts } from '../../capabilities/subjects/mcp/subject-resource.ts'

/** Entries on one page of the list. */
const PAGE = 100
/** How many sessions the list names, newest activity first. Older ones are read by their id. */
const SESSIONS = 500

const SCHEMA = 'application/schema+json'

const scenarioResource: Resource = {
  uri: scenarioAddress,
  name: 'scenario-schema',
  title: 'Format of a scenario',
  description: 'JSON Schema of what assemble accepts',
  mimeType: SCHEMA,
}

/** A text of a resource, before it has its address. */
export interface ResourceText {
  readonly mimeType: string
  readonly text: string
}

/** Subjects, sessions and the account of every call, to be read. Nothing here writes. */
export function runtimeResources(runtime: Runtime): McpResources {
  const { subjects, store } = runtime
  return {
    templates: resourceTemplates,
    async list(cursor) {
      const start = startOf(cursor)
      const all: readonly Resource[] = [
        ...(await subjects.list()).map(({ id, title, updated }) => ({
          uri: subjectAddress(id),
          name: id,
          ...(title === '' ? {} : { title: title.slice(0, 200) }),
          description: `The working context of ${id}`,
          mimeType: 'application/json',
          annotations: { lastModified: updated },
        })),
        ...(await store.sessions({ limit: SESSIONS })).map(({ id, title, updated }) => ({
          uri: sessionAddress(id),
          name: id,
          ...(title === undefined ? {} : { title: title.slice(0, 200) }),
          description: `What was said in the session ${id}`,
          mimeType: 'application/json',
          annotations: { lastModified: updated },
        })),
        scenarioResource,
      ]
      const next = start + PAGE
      return {
        resources: all.slice(start, next),
        ...(next < all.length ? { nextCursor: Buffer.from(`from ${next}`).toString('base64url') } : {}),
      }
    },
    async read(uri) {
      const found = await textAt(runtime, uri)
      return found === undefined ? undefined : contentsOf(uri, found)
    },
    async complete(template, variable, typed) {
      if (!resourceTemplates.some(({ uriTemplate }) => uriTemplate === template)) {
        throw invalidParams(`There is no resource template ${template}.`)
      }
      const values = await valuesOf(runtime, template, variable)
      return values.filter((value) => value.startsWith(typed))
    },
  }
}

async function textAt(runtime: Runtime, uri: string): Promise<ResourceText | undefined> {
  const address = parsedAddress(uri)
  if (address?.kind === 'subjects') return readSubject(runtime.subjects, address.id, address.part)
  if (address?.kind === 'sessions' && address.part === undefined) return readSession(runtime.store, address.id)
  if (uri === scenarioAddress) return { mimeType: SCHEMA, text: JSON.stringify(scenarioJsonSchema()) }
  if (address?.kind === 'calls') return callText(await runtime.store.call(address.id), address.part)
  return undefined
}

function contentsOf(uri: string, { mimeType, text }: ResourceText): ReadResourceResult {
  return { contents: [{ uri, mimeType, text }] }
}

async function valuesOf({ subjects, store }: Runtime, template: string, variable: string): Promise<readonly string[]> {
  if (variable === 'part') return Object.keys(subjectParts)
  if (variable !== 'id') return []
  if (template.startsWith('foreword://subjects/')) return (await subjects.list()).map(({ id }) => id)
  const sessions = (await store.sessions({ limit: SESSIONS })).map(({ id }) => id)
  if (template.startsWith('foreword://sessions/')) return sessions
  const calls = await Promise.all(sessions.slice(0, 10).map((session) => store.calls(session, { last: 20 })))
  return calls.flatMap((each) => each.map(({ id }) => id).toReversed())
}

function startOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const start = Number(/^from (\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1])
  if (!Number.isSafeInteger(start))
    throw invalidParams('The cursor is not one of this list. Leave it out to begin anew.')
  return start
}
