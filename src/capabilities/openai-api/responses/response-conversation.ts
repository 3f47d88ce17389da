import type { Caller, Runtime } from '../../../capability.ts'
import { HttpFailure } from '../../../server.ts'
import type { KeptResponses } from './kept-responses.ts'
import { type ResponseItem } from './response-schema.ts'
import { responseId } from './response-object.ts'

export interface ResponseTurn {
  readonly session: string
  readonly turn: string
}

export function turnKey({ session, turn }: ResponseTurn): string {
  return `${session}.${turn}`
}

/** `undefined` for the id of a response outside sessions, and where there is no such turn. */
export async function responseTurn({ store }: Pick<Runtime, 'store'>, id: string): Promise<ResponseTurn | undefined> {
  const [, session, turn] = /^resp_(.+)\.([^.]+)$/.exec(id) ?? []
  if (session === undefined || turn === undefined) return undefined
  return (await store.turn(session, turn)) ? { session, turn } : undefined
}

/**
 * The inputs and outputs of a kept response and of all before it. Throws an `HttpFailure` in OpenAI's words where one
 * of them is not kept, or not for this caller.
 */
export async function keptConversation(
  kept: KeptResponses,
  id: string,
  caller: Caller,
): Promise<readonly ResponseItem[]> {
  const parts: (readonly ResponseItem[])[] = []
  const seen = new Set<string>()
  for (let next: string | undefined = id; next !== undefined && !seen.has(next);) {
    seen.add(next)
    const found = await kept.find(next, caller)
    if (!found) throw previousNotFound(next)
    parts.push([...found.input, ...found.response.output])
    next = found.previous
  }
  return parts.toReversed().flat()
}

/** Throws an `HttpFailure` in OpenAI's words for an item that is not kept. */
export async function withReferencedItems(
  kept: KeptResponses,
  items: readonly ResponseItem[],
  caller: Caller,
): Promise<readonly ResponseItem[]> {
  return Promise.all(
    items.map(async (item, at) => {
      if (item.type !== 'item_reference') return item
      const [, key] = /^[a-z]+_(.+)_\d+$/.exec(item.id ?? '') ?? []
      const found = key === undefined ? undefined : await kept.find(responseId(key), caller)
      const meant = found?.response.output.find(({ id }) => id === item.id)
      if (meant) return meant
      throw new HttpFailure(
        'not-found',
        `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false. ` +
          'Try again with `store` set to true, or remove this item from your input.',
        { parameter: `input.${at}`, item: item.id },
      )
    }),
  )
}

export function previousNotFound(id: string): HttpFailure {
  return new HttpFailure('invalid-input', `Previous response with id '${id}' not found.`, {
    parameter: 'previous_response_id',
    openaiCode: 'previous_response_not_found',
  })
}

export function responseNotFound(id: string): HttpFailure {
  return new HttpFailure('not-found', `Response with id '${id}' not found.`, { response: id })
}
