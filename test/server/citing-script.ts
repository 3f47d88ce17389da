import { type CitationSource } from '../../src/session.ts'
import { type Script } from './scripted-runtime.ts'

const tokens = { counter: 'tokenx@2', full: 1, least: 1 }

export const paper: CitationSource = {
  citation: 1,
  document: 'file-1',
  title: 'Tides.pdf',
  page: 3,
  headings: ['Moon'],
}
export const page: CitationSource = {
  citation: 2,
  document: 'https://sea.example/',
  title: 'Sea',
  url: 'https://sea.example/',
}
export const trap: CitationSource = { citation: 3, document: 'x', title: 'Trap', url: 'javascript:alert(1)' }

/** What it says in both calls, as it comes. */
export const said = [
  'Let me see.',
  ['It rises [', '1], and falls [2][1] in 【2', '】. See `[2]`, [2024] and [3].'],
] as const

/** Has a document from the start, finds two more, and cites all of them. */
export const citing: Script = ({ turn, append, text }) => {
  const [first, second] = [`call-a-${turn}`, `call-b-${turn}`]
  const found = { turn, call: first, toolCallId: 'tool-1' }
  append({ type: 'turn-start', turn }, { type: 'assembly', turn, call: first, sources: [paper] })
  text(said[0])
  append(
    {
      type: 'message',
      turn,
      call: first,
      tokens,
      message: {
        role: 'assistant',
        content: [
          { type: 'text', text: said[0] },
          { type: 'tool-call', toolCallId: 'tool-1', toolName: 'web_search', input: { query: 'sea' } },
        ],
      },
    },
    { type: 'tool-start', ...found, toolName: 'web_search', input: { query: 'sea' } },
    { type: 'tool-end', ...found, ok: true, output: '{"results": []}', durationMs: 1, sources: [page, trap] },
    { type: 'assembly', turn, call: second },
  )
  for (const piece of said[1]) text(piece)
  append(
    {
      type: 'message',
      turn,
      call: second,
      tokens,
      message: { role: 'assistant', content: said[1].join('') },
      citations: [paper, page, trap],
    },
    { type: 'turn-end', turn, outcome: { type: 'completed' } },
  )
}
