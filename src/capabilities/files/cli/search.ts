import type { Command, CommandCall } from '../../../capability.ts'
import { jsonOption, searchHistory, usageFailure } from '../../../cli.ts'
import { searchFiles } from './search-files.ts'

export const search: Command = {
  name: 'search',
  summary: 'find passages of files, or of the history of sessions',
  usage: [
    'search TEXT [--project ID] [--limit N] [--explain | --compare] [--json]',
    'search --history TEXT [--session ID] [--limit N] [--json]',
  ],
  details:
    'Files are found by words, and by meaning too where an embedding model is configured. Whatever is written is words to ' +
    'look for, never syntax. Each hit says where it stands; the last line how far the index is. ' +
    'The history is found by words: what was said in sessions, and calls of tools with their results. Words between double ' +
    'quotes are found exactly as they are.',
  words: { least: 1, most: Infinity },
  options: {
    history: { summary: 'search sessions instead of files' },
    session: { value: 'ID', summary: 'with --history: only this session (its id, a beginning of it, or `last`)' },
    project: { value: 'ID', summary: 'only files of this project (its id or name)' },
    limit: { value: 'N', summary: 'at most so many hits, 10 unless said' },
    explain: { summary: 'say how each hit was found' },
    compare: { summary: 'show what words and meaning find side by side, and what they share' },
    json: {
      ...jsonOption,
      summary:
        'print {hits, progress} or {words, meaning, both, agreement}; with --history {passages, found, missing, nearest, complete}',
    },
  },
  run: (call, io) => (isHistory(call) ? searchHistory(call, io) : searchFiles(call, io)),
}

function isHistory(call: CommandCall): boolean {
  const history = call.has('history')
  const others = history ? (['project', 'explain', 'compare'] as const) : (['session'] as const)
  const wrong = others.find((name) => call.has(name) || call.text(name) !== undefined)
  if (wrong === undefined) return history
  throw usageFailure(
    history ? `--${wrong} is about files, and --history about sessions.` : '--session is for --history.',
    history ? 'Leave one of them out.' : 'Write `foreword search --history TEXT --session ID`.',
  )
}
