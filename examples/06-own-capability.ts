/**
 * A capability of your own: a setting, a tool, a layer, a route, a command and a check. Put the file into the home and name
 * it in config.json: `"capabilities": ["./06-own-capability.ts"]`. Allow its tool with `foreword tools allow tide`.
 */
import { capability, jsonAnswer, route } from 'foreword/capability'
import { tool } from 'foreword/tool'
import { z } from 'zod'

const settings = z.strictObject({
  draught: z.number().positive().default(1.8).describe('Draught of the boat, in metres.'),
})

export default capability({
  name: 'harbour',
  summary: 'Tides at Brest, and where the boat can go.',
  settings: { schema: settings },

  start: (host) => ({ tideAt, isDeep: (hour: number) => tideAt(hour) > host.settings.draught }),

  tools: ({ service }) => [
    tool({
      name: 'tide',
      description: 'The height of the tide at Brest, in metres, and whether the boat floats.',
      schema: z.object({ hour: z.number().min(0).max(24).describe('Hour of the day.') }),
      idempotent: true,
      execute: ({ hour }) =>
        `${service.tideAt(hour).toFixed(2)} m, ${service.isDeep(hour) ? 'deep enough' : 'too shallow'}`,
    }),
  ],

  layers: ({ settings: { draught } }) => [
    {
      id: 'boat',
      layer: 'boat',
      placement: 'system',
      renditions: [{ form: 'full', text: `The boat draws ${draught.toFixed(2)} metres.` }],
    },
  ],

  http: {
    routes: ({ service }) => [
      route('GET /api/harbour/tide', {
        scope: 'read',
        summary: 'The height of the tide',
        query: z.object({ hour: z.coerce.number().min(0).max(24) }),
        answers: jsonAnswer('Metres', { metres: z.number() }),
        handle: ({ query: { hour } }) => ({ metres: service.tideAt(hour) }),
      }),
    ],
  },

  commands: {
    tide: async () => ({
      name: 'tide',
      summary: 'shows the height of the tide',
      usage: ['tide HOUR'],
      words: { least: 1, most: 1 },
      options: {},
      async run({ words: [hour] }, { stdout }) {
        stdout.write(`${tideAt(Number(hour)).toFixed(2)} m\n`)
        return 0
      },
    }),
  },

  checks: async ({ settings: { draught } }) =>
    draught <= 7
      ? [{ check: 'harbour', level: 'ok', message: `The boat draws ${draught} m.` }]
      : [
          {
            check: 'harbour',
            level: 'warning',
            message: `A boat that draws ${draught} m never floats here.`,
            hint: 'Set harbour.draught in config.json.',
          },
        ],
})

function tideAt(hour: number): number {
  return 4 + 3 * Math.cos((hour / 12.4) * 2 * Math.PI)
}
