import type { AccessRead } from '../../tool.ts'
import type { PinnedPolicy } from '../tools/pinned-policy.ts'
import type { ToolPolicy } from '../tools/tool-policy.ts'

/**
 * The policy of the owner in the home of a person, who is not the owner of this machine: programs run in the sandbox, in their
 * own workspace and without a network, or not at all.
 */
export function personPolicy(owner: Pick<ToolPolicy, 'current' | 'offering'>): PinnedPolicy {
  let last: { readonly given: AccessRead; readonly confined: AccessRead } | undefined
  const confined = (given: AccessRead): AccessRead => {
    if (last?.given !== given) last = { given, confined: confine(given) }
    return last.confined
  }
  return {
    current: async () => confined(await owner.current()),
    offering: async () => confined(await (owner.offering ?? owner.current)()),
    start: async () => {},
  }
}

function confine(given: AccessRead): AccessRead {
  if (given.type === 'faulty') return given
  const { sandbox } = given.access
  const bound = { enabled: true, withoutIt: 'refuse', network: [], readable: [], writable: [] } as const
  return { type: 'access', access: { ...given.access, sandbox: { ...sandbox, ...bound } } }
}
