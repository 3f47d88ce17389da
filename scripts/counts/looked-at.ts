import { isTest, namedFunctions, smallParts, soleImports, type Sources } from './source-counts.ts'

/** A figure of the code beside that of code that is worth reading: an example to follow, no limit. */
export interface LookedAt {
  readonly what: string
  readonly now: string
  readonly field: string
  readonly aim: string
}

/** The figures of `src` and `web/src`, without tests. */
export function lookedAt(all: Sources, publicNames: number): readonly LookedAt[] {
  const files = [...all.values()].filter(({ path }) => !isTest(path))
  const sources: Sources = new Map(files.map((file) => [file.path, file]))
  const sizes = files.map(({ lines }) => lines).toSorted((one, other) => one - other)
  const lines = sizes.reduce((sum, size) => sum + size, 0)
  const functions = files.reduce((sum, { text }) => sum + namedFunctions(text), 0)
  const sole = new Set(soleImports(sources).keys())
  const share = (folder: string): string => {
    const paths = [...sources.keys()].filter((path) => path.startsWith(folder))
    return `${Math.round((paths.filter((path) => sole.has(path)).length / paths.length) * 100)} %`
  }
  return [
    { what: 'lines', now: `${lines}`, field: 'opencode and pi: fewer for as much', aim: 'about 112000' },
    { what: 'files', now: `${files.length}`, field: '', aim: 'about 880' },
    { what: 'lines of the median file', now: `${sizes[Math.floor(sizes.length / 2)]}`, field: '30 to 170', aim: '' },
    {
      what: 'named functions in 1,000 lines',
      now: `${Math.round((functions / lines) * 1000)}`,
      field: '21 to 41',
      aim: 'about 50',
    },
    {
      what: 'files with a single importer',
      now: share(''),
      field: 'unstorage 11 %, Kysely 14 %, pi 27 %, Hono 34 %',
      aim: 'about 25 %',
    },
    ...['src/server/', 'src/context/'].map((folder) => ({
      what: `  of ${folder}`,
      now: share(folder),
      field: '',
      aim: '',
    })),
    {
      what: 'files under 30 lines with a single importer in their folder',
      now: `${smallParts(sources).length}`,
      field: '',
      aim: '',
    },
    { what: 'files over 400 lines', now: `${sizes.filter((size) => size > 400).length}`, field: '', aim: '' },
    { what: 'public names', now: `${publicNames}`, field: '', aim: 'about 700' },
  ]
}
