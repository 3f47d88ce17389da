import { type Command, jsonOption } from '../command.ts'
import { searchFiles } from '../search/search-files.ts'

export const search: Command = {
  name: 'search',
  summary: 'find passages of files',
  usage: ['search TEXT [--project ID] [--limit N] [--explain | --compare] [--json]'],
  details:
    'Finds by words, and by meaning too where an embedding model is configured. Whatever is written is words to look ' +
    'for, never syntax. Each hit says where it stands; the last line how far the index is.',
  words: { least: 1, most: Infinity },
  options: {
    project: { value: 'ID', summary: 'only files of this project (its id or name)' },
    limit: { value: 'N', summary: 'at most so many hits, 10 unless said' },
    explain: { summary: 'say how each hit was found' },
    compare: { summary: 'show what words and meaning find side by side, and what they share' },
    json: { ...jsonOption, summary: 'print {hits, progress}, or {words, meaning, both, agreement}' },
  },
  run: searchFiles,
}
