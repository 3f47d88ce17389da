import { projectSchema, type Runtime } from '../../../runtime.ts'
import { recordRoutes } from '../../../server.ts'
import type { Route } from '../../../capability.ts'

/** Projects: instructions, and files that belong together. */
export function projectRoutes(runtime: Runtime): readonly Route[] {
  return recordRoutes(() => runtime.projects, { name: 'project', one: 'a project', schema: projectSchema })
}
