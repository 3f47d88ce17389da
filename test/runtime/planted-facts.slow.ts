import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnyMessage } from '../../src/context.ts'
import type { Entry } from '../../src/session.ts'
import { scriptedModel, type ScriptedReply } from '../../src/testing.ts'
import type { Tool } from '../../src/tool.ts'
import { opened } from './opened.ts'

const BOATS =
  `Kestrel Petrel Dunlin Curlew Avocet Plover Garganey Wigeon Teal Pochard Gannet Fulmar Skua Puffin Razorbill Guillemot
  Kittiwake Tern Whimbrel Godwit Knot Sanderling Turnstone Redshank Ruff Lapwing Snipe Woodcock Crake Moorhen Coot Grebe
  Heron Bittern Egret Spoonbill Osprey Harrier Merlin Hobby`.split(/\s+/)

/** Something that was said once, and what a reader who has forgotten it would look for. */
interface Fact {
  readonly said: string
  /** Who says it: the person, the model in its answer, a tool in its result, or the model in a tool's input. */
  readonly by: 'person' | 'answer' | 'result' | 'input'
  readonly query: string
  readonly answer: string
}

const FACTS: readonly Fact[] = BOATS.map((boat, at): Fact => {
  const number = String(4_711 + at * 137)
  const kinds: readonly Fact[] = [
    {
      by: 'person',
      said: `The mooring of ${boat} costs ${number} marks a week.`,
      query: `${boat} mooring costs`,
      answer: number,
    },
    {
      by: 'answer',
      said: `I would give ${boat} the berth B${number}.`,
      query: `berth of ${boat}`,
      answer: `B${number}`,
    },
    {
      by: 'result',
      said: `Register: ${boat} was built by the yard of Master ${boat}son-${number}.`,
      query: `who built ${boat}`,
      answer: `${boat}son-${number}`,
    },
    {
      by: 'input',
      said: `surveys/${boat.toLowerCase()}-${number}.txt`,
      query: `survey file ${boat}`,
      answer: `surveys/${boat.toLowerCase()}-${number}.txt`,
    },
    {
      by: 'person',
      said: `Its papers are at https://harbour.example/${boat.toLowerCase()}/${number}.`,
      query: `address papers ${boat}`,
      answer: `harbour.example/${boat.toLowerCase()}/${number}`,
    },
  ]
  return kinds[at % kinds.length]!
})

/** Boats of which nobody has spoken. */
const ABSENT = Array.from({ length: 100 }, (_, at) => `Zephyrine${String.fromCharCode(97 + (at % 26))}${at}`)

const FILLER = 'The tide comes in twice a day, and the boats rise with it. '

const register: Tool = {
  name: 'register',
  description: 'Reads the register of boats.',
  inputSchema: { type: 'object', properties: { file: { type: 'string' }, at: { type: 'integer' } } },
  idempotent: true,
  execute: async (input) => {
    const fact = FACTS[(input as { at: number }).at]!
    return { ok: true, output: `${fact.by === 'result' ? fact.said : 'Read.'} ${FILLER.repeat(3)}` }
  },
}

const textOf = (message: AnyMessage | undefined) => JSON.stringify(message?.content ?? '')

/** A model that says facts, writes notes which keep names and no numbers, and answers probes as one that has forgotten all it does not see. */
function harbourMaster() {
  const claims: { readonly turn: string; readonly words: readonly string[] }[] = []
  const model = scriptedModel({
    facts: { window: 4_000, maxOutput: 400 },
    answer({ messages }): ScriptedReply {
      const last = messages.at(-1)!
      if (textOf(last).includes('Write the note that will stand')) {
        return { text: 'They spoke about boats, what moorings cost, berths, builders, surveys and papers.' }
      }
      const asked = messages.findLastIndex(({ role }) => role === 'user')
      const question = textOf(messages[asked])
      const probe = /PROBE ([^|]*)\|([^|]*)\|/.exec(question)
      if (probe) return answerProbe(messages, asked, probe[1]!, probe[2]!)
      const at = /FACT (\d+)/.exec(question)?.[1]
      if (at === undefined) return { text: FILLER.repeat(6) }
      const fact = FACTS[Number(at)]!
      if ((fact.by === 'input' || fact.by === 'result') && last.role === 'user') {
        const file = fact.by === 'input' ? fact.said : 'register.txt'
        return { toolCalls: [{ name: 'register', input: { file, at: Number(at) } }] }
      }
      return { text: `${fact.by === 'answer' ? `${fact.said} ` : ''}${FILLER.repeat(4)}` }
    },
  })
  return { model, claims }

  function answerProbe(messages: readonly AnyMessage[], asked: number, query: string, answer: string): ScriptedReply {
    const seen = messages.toSpliced(asked, 1).map(textOf)
    const results = messages.slice(asked + 1).filter(({ role }) => role === 'tool')
    for (const text of results.map(textOf)) {
      const words = /Nothing in this conversation has: ([^.]*)\./.exec(text)?.[1]
      if (words && !claims.some(({ turn }) => turn === query)) claims.push({ turn: query, words: words.split(', ') })
    }
    if (seen.some((text) => text.includes(answer))) {
      return { text: results.length === 0 ? 'SEEN' : results.length === 1 ? 'FOUND' : 'READ' }
    }
    if (results.length === 0) return { toolCalls: [{ name: 'read_history', input: { query } }] }
    const place = /\{\\"(turn|call)\\":(\d+|\\"[^"\\]+\\")/.exec(textOf(results[0]))
    if (results.length > 1 || !place) return { text: 'LOST' }
    const value = place[1] === 'turn' ? Number(place[2]) : place[2]!.replaceAll('\\"', '')
    return { toolCalls: [{ name: 'read_history', input: { [place[1]!]: value } }] }
  }
}

function answerOf(entries: readonly Entry[], turn: string): string {
  const last = entries.findLast((entry) => entry.type === 'message' && entry.turn === turn)
  return last?.type === 'message' ? textOf(last.message) : ''
}

for (const notes of ['model', 'index'] as const) {
  test(`forty facts are found after cuts and folds, and nothing that is there is called missing (notes: ${notes})`, async (t) => {
    const { model, claims } = harbourMaster()
    const at = await opened(t, { model, tools: [register], settings: { notes, reserve: 400, margin: 0 } })
    const { session } = await at.say('We keep the books of a harbour.')
    for (const [number, fact] of FACTS.entries()) {
      const said = fact.by === 'person' ? `${fact.said} ` : ''
      await at.say(`FACT ${number}. ${said}${FILLER}`, { session })
      await at.runtime.idle(session)
    }
    const planted = (await at.log(session)).at(-1)!.seq
    const shape = async () => {
      const calls = (await at.store.calls(session)).filter(({ kind }) => kind === undefined)
      const lengths = calls.map(({ manifest }) => manifest.cut?.notes?.length ?? 0)
      return {
        cuts: calls.filter(({ manifest, upTo = 0 }) => 'cutRecord' in manifest && upTo >= planted).length,
        folds: lengths.filter((length, call) => length < (lengths[call - 1] ?? 0)).length,
      }
    }
    for (let turn = 0; turn < 150; turn += 1) {
      // Reading all calls takes longer than a turn.
      if (turn % 5 === 0) {
        const { cuts, folds } = await shape()
        if (cuts >= 5 && folds >= 2) break
      }
      await at.say(`More of the tide, ${turn}. ${FILLER.repeat(2)}`, { session })
      await at.runtime.idle(session)
    }
    const { cuts, folds } = await shape()
    assert.ok(cuts >= 5 && folds >= 2, `${cuts} cuts, ${folds} folds`)

    const texts = (await at.log(session)).flatMap((entry) =>
      entry.type === 'input' || entry.type === 'message' ? [textOf(entry.message).toLowerCase()] : [],
    )
    const found = new Map<string, number>()
    const lost: string[] = []
    for (const { query, answer } of FACTS) {
      const { turn } = await at.say(`PROBE ${query}|${answer}|`, { session })
      const said = /SEEN|FOUND|READ|LOST/.exec(answerOf(await at.log(session), turn))?.[0] ?? 'nothing'
      found.set(said, (found.get(said) ?? 0) + 1)
      if (said === 'LOST' || said === 'nothing') lost.push(query)
    }
    t.diagnostic(`${cuts} cuts, ${folds} folds; ${[...found].map(([how, count]) => `${how} ${count}`).join(', ')}`)
    assert.ok(lost.length <= FACTS.length * 0.05, `lost: ${lost.join('; ')}`)

    for (const boat of ABSENT) await at.say(`PROBE mooring of ${boat}|never said of ${boat}|`, { session })
    const words = claims.flatMap((claim) => claim.words.map((word) => ({ ...claim, word: word.toLowerCase() })))
    const said = new Set(texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u)))
    const wrong = words.filter(({ word }) => said.has(word))
    t.diagnostic(`${words.length} words are said to be missing, ${wrong.length} wrongly`)
    assert.ok(words.length >= ABSENT.length, `${words.length} claims`)
    assert.ok(wrong.length * 100 <= words.length, wrong.map(({ turn, word }) => `${word} (${turn})`).join('; '))
  })
}
