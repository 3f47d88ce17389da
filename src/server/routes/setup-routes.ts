import { z } from 'zod'
import { type Route, route, type Runtime } from '../../capability.ts'
import { empty, json } from '../answer.ts'

const options = z.object({
  ready: z.boolean().describe('`false`: no model is attached, and a stand-in answers.'),
  model: z.object({ id: z.string(), why: z.string() }),
  providers: z.array(
    z.object({
      kind: z.string(),
      title: z.string(),
      needsKey: z.boolean(),
      needsAddress: z.boolean(),
      address: z.string().optional(),
      models: z.array(z.string()).describe('Ids of the models that can be used now.'),
      why: z.string().optional().describe('Why there are none, and what to do about it.'),
    }),
  ),
})

/** Attaching models. For people: no tool reaches these endpoints. */
export function setupRoutes(runtime: Runtime): readonly Route[] {
  const tag = 'setup'
  return [
    route({
      method: 'GET',
      path: '/api/setup',
      scope: 'read',
      tag,
      summary: 'Lists the providers that a model can come from, and the models that can be used now',
      answers: { 200: { description: 'What can be attached', schema: options } },
      handle: async () => json(await runtime.setup.options()),
    }),
    route({
      method: 'POST',
      path: '/api/setup/providers',
      scope: 'admin',
      tag,
      summary: 'Attaches a provider: tries its key, keeps it in a file of its own, and names that file in config.json',
      description:
        'The key is in no answer, log or configuration. Nothing changes where the provider does not accept it.',
      body: z.strictObject({
        kind: z.string().min(1),
        name: z.string().min(1).optional().describe('Its name in the configuration; `kind` unless given.'),
        baseURL: z.string().min(1).optional(),
        key: z.string().min(1).max(10_000).optional(),
      }),
      answers: {
        201: {
          description: 'The name of the provider, and the ids of its models',
          schema: z.object({ name: z.string(), models: z.array(z.string()) }),
        },
      },
      handle: async ({ body, caller }) => json(await runtime.setup.attach(body, caller.by), 201),
    }),
    route({
      method: 'PUT',
      path: '/api/setup/model',
      scope: 'admin',
      tag,
      summary: 'Sets the model of sessions that choose none, in config.json and from the next turn on',
      body: z.strictObject({ model: z.string().min(1) }),
      answers: { 204: { description: 'Set' } },
      handle: async ({ body, caller }) => {
        await runtime.setup.chooseModel(body.model, caller.by)
        return empty(204)
      },
    }),
  ]
}
