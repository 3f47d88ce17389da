import type { Records, Route } from '../../../capability.ts'
import { recordRoutes } from '../../../server.ts'
import { projectSchema, type ProjectValue } from '../project-record.ts'

/** Projects, made, changed and brought back. */
export function projectRoutesOf(projects: Records<ProjectValue>): readonly Route[] {
  return recordRoutes(() => projects, { name: 'project', one: 'a project', schema: projectSchema })
}
