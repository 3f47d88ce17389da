import { capability } from '../../capability.ts'

/**
 * The audit as people read it. Its records and their signed checkpoints are made without this: nobody leaves them out with a page.
 */
export const auditRecords = capability({
  name: 'audit-records',
  summary: 'the record of tool calls and decisions: listed, verified, exported and archived',
  commands: { audit: async () => (await import('./cli/audit.ts')).auditCommand },
  http: { routes: async ({ runtime }) => (await import('./http/audit-routes.ts')).auditRoutes(runtime) },
})
