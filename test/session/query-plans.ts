/** A statement that the server ran, as `auto_explain` logged it. */
export interface QueryPlan {
  readonly sql: string
  /** How many rows of each table were looked at: what came out of its scans, and what their filters removed. */
  readonly looked: ReadonlyMap<string, number>
  /** Tables of which every row was read. */
  readonly whole: readonly string[]
  readonly indexes: readonly string[]
  /** Pages of 8 kB. */
  readonly pages: number
}

/** Settings with which a server logs the plan of each statement of the connections that ask for it. */
export const logsPlans = [
  'session_preload_libraries=auto_explain',
  'auto_explain.log_min_duration=-1',
  'auto_explain.log_analyze=on',
  'auto_explain.log_buffers=on',
  'auto_explain.log_timing=off',
  'auto_explain.log_format=json',
  'auto_explain.log_nested_statements=on',
]

/** The plans in what a server has logged. */
export function readPlans(log: string): readonly QueryPlan[] {
  return Array.from(log.matchAll(/plan:\n((?:\t.*\n?)+)/g), ([, json]) => toPlan(JSON.parse(json!)))
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly PlanNode[]
}

function toPlan({
  'Query Text': sql,
  Plan: top,
}: {
  readonly 'Query Text': string
  readonly Plan: PlanNode
}): QueryPlan {
  const nodes = [...every(top)]
  const looked = new Map<string, number>()
  for (const node of nodes) {
    const table = node['Relation Name']
    if (table === undefined || node['Node Type'] === 'ModifyTable') continue
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
    looked.set(table, (looked.get(table) ?? 0) + (node['Actual Rows'] + removed) * node['Actual Loops'])
  }
  return {
    sql: sql.replaceAll(/\s+/g, ' ').trim(),
    looked,
    whole: nodes.flatMap((node) =>
      node['Node Type'] === 'Seq Scan' && node['Actual Loops'] > 0 ? [node['Relation Name']!] : [],
    ),
    indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
    pages: (top['Shared Hit Blocks'] ?? 0) + (top['Shared Read Blocks'] ?? 0),
  }
}

function* every(node: PlanNode): Generator<PlanNode> {
  yield node
  for (const below of node.Plans ?? []) yield* every(below)
}
