import { z } from 'zod'
import type { PeopleHomes } from '../../runtime.ts'
import { json, text } from '../answer.ts'
import { type Route, jsonAnswer, route, type Runtime } from '../../capability.ts'
import { defined } from '../../platform.ts'
import {
  attachmentsSchema,
  figuresSchema,
  historySchema,
  manifestSchema,
  requestViewSchema,
  scenarioAnswer,
} from '../schema.ts'
import { choiceIds, type ChoiceDescriptions, splitChoices } from '../session-choices.ts'

/** What the endpoints report besides the runtime. */
export interface SystemOptions {
  readonly version: string
  readonly choices: ChoiceDescriptions
  readonly configuration: () => unknown
  readonly openapi: () => Promise<unknown>
  /** The homes within this one, which are read again with it. */
  readonly people?: Pick<PeopleHomes, 'reload'> | undefined
}

/** The gateway itself: health, status, models, configuration, and a preview of the next call. */
export function systemRoutes(runtime: Runtime, options: SystemOptions): readonly Route[] {
  const { version, choices, configuration, openapi, people } = options
  const previewQuery = z.strictObject({
    session: z.string().min(1).optional().describe('Absent: the first call of a new session.'),
    input: z.string().optional().describe('The text of the next message.'),
    model: z.string().min(1).optional(),
    system: z.string().min(1).optional().describe('A system prompt for this call, in place of any other.'),
    ...choiceIds(choices),
  })
  const share = z.number().min(0).max(1).optional()
  const previewBody = previewQuery.extend({ attachments: attachmentsSchema })
  const triedBody = previewBody.extend({
    history: historySchema,
    changes: z
      .strictObject({
        window: z.int().min(1).optional().describe('Tokens.'),
        reserve: z.int().min(0).optional().describe('Tokens.'),
        layout: z.string().min(1).optional(),
        headShare: share,
        lowWater: share,
        forms: z
          .record(z.string(), z.string())
          .optional()
          .describe('By the name of a layer: only its forms whose names begin so are offered.'),
      })
      .optional()
      .describe('Other settings to try in this call alone.'),
  })
  const preview = async (query: Partial<z.output<typeof triedBody>>) => {
    const { chosen, others } = splitChoices<string, typeof query>(choices, query)
    return json(await runtime.preview({ ...defined(others), choices: chosen }))
  }
  const previewAnswers = () => ({
    200: {
      description: 'Request and manifest of the next call',
      schema: z.object({
        model: z.string(),
        request: requestViewSchema,
        manifest: manifestSchema,
        figures: figuresSchema,
        cost: z
          .object({ least: z.number(), most: z.number(), answer: z.number() })
          .optional()
          .describe(
            'US dollars: of the prompt alone, with the longest answer, and of that answer. Absent where the model has no price.',
          ),
        free: z.literal(true).optional().describe('The model costs nothing.'),
      }),
    },
  })
  const reloaded = z.object({
    warnings: z.array(z.string()),
    folded: z
      .array(
        z.object({
          session: z.string(),
          tokens: z.number().optional().describe('What a cache had and the next call sends again.'),
          money: z.number().optional().describe('How much more that call costs, US dollars; below zero: less.'),
          cut: z
            .object({ turns: z.number(), tokens: z.number() })
            .optional()
            .describe('What that call leaves out for a note: a nearly full prompt is cut in it.'),
        }),
      )
      .optional(),
  })
  return [
    route('GET /', {
      scope: 'read',
      tag: 'system',
      summary: 'Lists the entry points. With `?token=` a browser gets a cookie and is redirected here',
      query: z.looseObject({ token: z.string().optional() }),
      answers: { 200: { description: 'A few lines for people', media: 'text/plain' } },
      handle: () =>
        text(
          `Foreword ${version}\n\nAPI: /api/openapi.json\nOpenAI's format: /v1/chat/completions, /v1/responses, /v1/models\n`,
        ),
    }),
    route('GET /api/status', {
      scope: 'read',
      tag: 'system',
      summary:
        'Reports the version, the home, the model, active turns and warnings; with `wait=idle`, once nothing is to do',
      description:
        'Nothing is to do when no turn runs, everything that was written is on disk, replies are delivered, and indexes and notes ' +
        'are complete. What waits for a person, or for a time such as the next attempt, is nothing to do.',
      query: z.strictObject({
        wait: z.literal('idle').optional(),
        session: z.string().min(1).optional().describe('Waits for what concerns this session alone.'),
      }),
      answers: () => jsonAnswer('The status', z.looseObject({ version: z.string(), home: z.string() })),
      handle: async ({ query, request }) => {
        if (query.wait) await runtime.idle(query.session, request.signal)
        const { facts, ...status } = await runtime.status()
        return { ...status, ...facts }
      },
    }),
    route('GET /api/models', {
      scope: 'read',
      tag: 'system',
      summary: 'Lists the available models, with what is known about them',
      answers: () => jsonAnswer('Models', { models: z.array(z.looseObject({ id: z.string(), current: z.boolean() })) }),
      handle: async () => ({ models: await runtime.models() }),
    }),
    route('GET /api/model', {
      scope: 'read',
      tag: 'system',
      summary: 'One model: its abilities, limits and price, and the window and reserve of its calls',
      query: z.strictObject({ id: z.string().min(1).optional().describe('Absent: the configured one.') }),
      answers: () =>
        jsonAnswer('The model', z.looseObject({ id: z.string(), window: z.number(), reserve: z.number() })),
      handle: ({ query }) => runtime.model(query.id),
    }),
    route('GET /api/configuration', {
      scope: 'admin',
      tag: 'system',
      summary: 'Shows the configuration in force, without its secrets',
      answers: () => jsonAnswer('The configuration', z.looseObject({})),
      handle: () => configuration(),
    }),
    route('POST /api/reload', {
      scope: 'admin',
      tag: 'system',
      summary: 'Reloads prompt files and plugins, between turns',
      description:
        'A session goes on with the tools and the system message that it began with; changes are announced behind its history. ' +
        'With `now=true` they are composed again at the next call, of one `session` or of all that were active in the last day: ' +
        '`folded` lists those that change, with the tokens that are sent again, and their price where it is known.',
      query: z.strictObject({
        now: z.enum(['true', 'false']).optional(),
        session: z.string().optional(),
      }),
      answers: () => jsonAnswer('Warnings about them, and folded sessions', reloaded),
      async handle({ query }) {
        const { warnings, ...rest } = await runtime.reload({
          now: query.now === 'true',
          ...defined({ session: query.session }),
        })
        return { warnings: [...warnings, ...((await people?.reload()) ?? [])], ...rest }
      },
    }),
    route('POST /api/context', {
      scope: 'read',
      summary: 'Shows the request and the manifest of the next call. Writes nothing',
      body: triedBody,
      answers: previewAnswers,
      handle: ({ body }) => preview(body),
    }),
    route('GET /api/context', {
      scope: 'read',
      summary: 'The same with query parameters and without attachments, for a browser',
      query: previewQuery,
      answers: previewAnswers,
      handle: ({ query }) => preview(query),
    }),
    route('POST /api/context/scenario', {
      scope: 'read',
      summary: 'The input of the next call as a scenario, for `foreword assemble` and `foreword check`. Writes nothing',
      body: previewBody.extend({ history: historySchema }),
      answers: () => jsonAnswer('The scenario', scenarioAnswer),
      handle: async ({ body }) => {
        const { chosen, others } = splitChoices<string, typeof body>(choices, body)
        return await runtime.nextScenario({ ...defined(others), choices: chosen })
      },
    }),
    route('GET /api/openapi.json', {
      scope: 'read',
      tag: 'system',
      summary: 'This document',
      answers: () => jsonAnswer('OpenAPI 3.1', z.looseObject({ openapi: z.string() })),
      handle: () => openapi(),
    }),
  ]
}

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
      website: z.string().optional().describe('Where a person gets a key, or the program itself.'),
      models: z.array(z.string()).describe('Ids of the models that can be used now.'),
      why: z.string().optional().describe('Why there are none, and what to do about it.'),
    }),
  ),
})

/** Attaching models. For people: no tool reaches these endpoints. */
export function setupRoutes(runtime: Runtime): readonly Route[] {
  return [
    route('GET /api/setup', {
      scope: 'read',
      summary: 'Lists the providers that a model can come from, and the models that can be used now',
      answers: () => jsonAnswer('What can be attached', options),
      handle: () => runtime.setup.options(),
    }),
    route('POST /api/setup/providers', {
      scope: 'admin',
      summary: 'Attaches a provider: tries its key, keeps it in a file of its own, and names that file in config.json',
      description:
        'The key is in no answer, log or configuration. Nothing changes where the provider does not accept it.',
      body: z.strictObject({
        kind: z.string().min(1),
        name: z.string().min(1).optional().describe('Its name in the configuration; `kind` unless given.'),
        baseURL: z.string().min(1).optional(),
        key: z.string().min(1).max(10_000).optional(),
      }),
      answers: () =>
        jsonAnswer(
          'The name of the provider, and the ids of its models',
          { name: z.string(), models: z.array(z.string()) },
          201,
        ),
      handle: ({ body, caller }) => runtime.setup.attach(body, caller.by),
    }),
    route('PUT /api/setup/model', {
      scope: 'admin',
      summary: 'Sets the model of sessions that choose none, in config.json and from the next turn on',
      body: z.strictObject({ model: z.string().min(1) }),
      answers: { 204: { description: 'Set' } },
      handle: ({ body, caller }) => runtime.setup.chooseModel(body.model, caller.by),
    }),
    route('PUT /api/setup/fallback', {
      scope: 'admin',
      summary:
        'Sets the models that answer while the provider of a model fails, in config.json and from the next call on',
      body: z.strictObject({
        model: z.string().min(1),
        fallback: z
          .array(z.string().min(1))
          .max(20)
          .describe('In the order in which they are asked. None: no fallback.'),
      }),
      answers: { 204: { description: 'Set' } },
      handle: ({ body, caller }) => runtime.setup.setFallback(body.model, body.fallback, caller.by),
    }),
  ]
}
