/** A table of a store, as a copy of the store reads and writes it. */
export interface StoredTable {
  readonly name: string
  /** All of them, in the order of the table. */
  readonly columns: readonly string[]
  /** The first columns, which name a row. Rows are read in their order. */
  readonly key: number
  /** Columns with texts that can be long. */
  readonly long: readonly string[]
}

/** Every table that has rows of a home, each after those that it refers to. */
export const storedTables: readonly StoredTable[] = [
  table(
    'sessions',
    1,
    'id title created updated turns entries tokens model head choices opening folder pinned state unended waiting chain',
    'choices opening',
  ),
  table('entries', 2, 'session seq time type turn data digest parts', 'data parts'),
  table(
    'turns',
    2,
    'session ordinal turn parent first_seq last_seq state input_time tokens least_tokens tokens_before idempotency_key',
  ),
  table('calls', 1, 'number id session record outcome digest outcome_digest', 'record outcome'),
  table(
    'call_sums',
    1,
    'number time session model used prompt cached written longer output layers tools cost',
    'layers tools',
  ),
  table('tool_sums', 3, 'session seq part time tool tokens'),
  table('contents', 1, 'hash text escaped parts', 'text parts'),
  table('bindings', 2, 'channel conversation session'),
  table('named_values', 1, 'key value', 'value'),
  table('audit', 1, 'number time session turn tool decision record hash', 'record'),
  table('records', 1, 'number kind id version time value', 'value'),
  table('files', 1, 'number id owner_type owner_id hash facts state state_type', 'facts state'),
  table('text_parts', 2, 'number part text', 'text'),
]

/**
 * The columns of a table as a query names them. None asks for all: a later Foreword may add columns while this one works, and a
 * statement that was prepared before would fail.
 */
export function columnsOf(stored: string, prefix = ''): string {
  return storedTables
    .find(({ name }) => name === stored)!
    .columns.map((column) => `${prefix}${column}`)
    .join(', ')
}

/** Tables whose database counts their rows itself. */
export const countedTables: readonly string[] = ['calls', 'records', 'files']

function table(name: string, key: number, columns: string, long = ''): StoredTable {
  return { name, key, columns: columns.split(' '), long: long === '' ? [] : long.split(' ') }
}
