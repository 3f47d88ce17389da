import { isTest, type Sources } from './source-counts.ts'

/** Something that people add to Foreword, with an example of it that exists. */
interface Change {
  readonly what: string
  /** What a file names that knows the example. */
  readonly names: RegExp
  /** Where the example is at home: those files are not counted. */
  readonly home?: RegExp
}

const changes: readonly Change[] = [
  { what: 'a provider (Anthropic)', names: /anthropic/i, home: /\/anthropic\// },
  { what: 'a channel (Telegram)', names: /telegram/i, home: /\/telegram\// },
  { what: 'a store (SQLite)', names: /node:sqlite/, home: /^src\/(session|platform)\// },
  { what: 'a layout (onyx)', names: /\bonyx\b/ },
  {
    what: 'a session choice (subject)',
    names: /subject/i,
    home: /^src\/(capabilities\/subjects|subject|plugin\/subjects|cli\/subjects)\//,
  },
  { what: 'a route (/replay)', names: /\/replay['"`]/ },
  { what: 'a command (compact)', names: /command\/compact\.ts|name: 'compact'/ },
  { what: 'a key (skills.allowScripts)', names: /allowScripts/ },
  { what: 'a reason (head-share)', names: /head-share/ },
  { what: 'a counter (o200k)', names: /o200k/ },
  { what: 'a cut rule (lowWater)', names: /lowWater/ },
  { what: 'a field of an agent (reminder)', names: /\breminder\b/ },
  { what: 'an error code (no-text)', names: /no-text/ },
  { what: 'a layer (tool-guidance)', names: /tool-guidance/ },
]

/** For each kind of change, how many files outside its home know the example: where one more of its kind would be named. */
export function filesPerChange(
  sources: Sources,
): readonly { readonly what: string; readonly files: readonly string[] }[] {
  const product = [...sources.values()].filter(({ path }) => {
    return path.startsWith('src/') && !path.startsWith('src/testing') && !isTest(path)
  })
  return changes.map(({ what, names, home }) => {
    const files = product.filter(({ path, text }) => names.test(text) && home?.test(path) !== true)
    return { what, files: files.map(({ path }) => path) }
  })
}
