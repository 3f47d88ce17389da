import { agentSchema, type Runtime } from '../runtime.ts'
import { recordRoutes } from './record-routes.ts'
import { type Route } from './route.ts'

/** Custom agents: each a prompt with the tools, the model and the layout that go with it. */
export function agentRoutes(runtime: Runtime): readonly Route[] {
  return recordRoutes(() => runtime.agents, { name: 'agent', one: 'an agent', schema: agentSchema })
}
