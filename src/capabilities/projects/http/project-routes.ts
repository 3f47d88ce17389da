import { projectSchema, type Runtime } from '../../../runtime.ts'
import { recordRoutes } from '../../../server/routes/record-routes.ts'
import { type Route } from '../../../server/route.ts'

/** Projects: instructions, and files that belong together. */
export function projectRoutes(runtime: Runtime): readonly Route[] {
  return recordRoutes(() => runtime.projects, { name: 'project', one: 'a project', schema: projectSchema })
}
