import type { Runtime } from '../runtime.ts'

/** What a request would choose for a session, by id; `null` chooses nothing. */
interface Choice {
  readonly agent?: string | null | undefined
  readonly project?: string | null | undefined
  readonly subject?: string | null | undefined
}

/**
 * Rejects with `not-found` where something of a choice is not there: asked before anything is
 * changed, so that what a request cannot have leaves everything as it was.
 */
export async function assertThere(runtime: Runtime, { agent, project, subject }: Choice): Promise<void> {
  if (typeof agent === 'string') await runtime.agents.get(agent)
  if (typeof project === 'string') await runtime.projects.get(project)
  if (typeof subject === 'string') await runtime.subjects.context(subject)
}
