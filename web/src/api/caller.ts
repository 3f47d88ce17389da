import type { Caller, TokenScope } from '../../../src/capability.ts'
import { includesScope } from '../../../src/capability/token-scope.ts'
import { useResource } from './resources.ts'

/** `GET /api/token`: whether this gateway asks for tokens, and who this browser is signed in as. */
export interface TokenFacts {
  readonly needed: boolean
  /** ISO 8601. */
  readonly made?: string
  readonly canReplace: boolean
  /** Without a name it has the token of the owner. */
  readonly caller: Pick<Caller, 'name' | 'scope' | 'person'>
}

export const TOKEN_FACTS = '/api/token'

/** Pages of the settings that only the owner has, by the end of their addresses: everything on them needs the scope `admin`. */
const ownerPages: ReadonlySet<string> = new Set(['tools', 'mcp-servers', 'people', 'backup', 'doctor'])

/** Pages with what somebody keeps in their own home. */
export const ownRecordsPages: ReadonlySet<string> = new Set(['agents', 'projects', 'templates'])

/** Who this browser is signed in as; `undefined` until the gateway has answered. */
export function useCaller(): TokenFacts['caller'] | undefined {
  return useResource<TokenFacts>(TOKEN_FACTS).data?.caller
}

/** Whether this browser may do what needs a scope; not before the gateway has said so. */
export function useMay(scope: TokenScope): boolean {
  const caller = useCaller()
  return caller !== undefined && includesScope(caller.scope, scope)
}

/** Whether this browser may make and change agents, projects and templates: in their own home members may. */
export function useMayKeepRecords(): boolean {
  const caller = useCaller()
  return caller !== undefined && includesScope(caller.scope, caller.person === undefined ? 'admin' : 'approve')
}

/** Which pages of the settings this browser has. */
export function useHasPage(): (id: string) => boolean {
  const isOwner = useMay('admin')
  const keeps = useMayKeepRecords()
  const schedules = useResource<{ readonly enabled: boolean }>(keeps && !isOwner ? '/api/schedules' : undefined).data
  return (id) => {
    if (isOwner) return true
    if (id === 'schedules') return schedules?.enabled === true
    return ownRecordsPages.has(id) ? keeps : !ownerPages.has(id)
  }
}
