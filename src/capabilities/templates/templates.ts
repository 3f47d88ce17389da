import { capability, type Records } from '../../capability.ts'
import { templateRecordKind, templateSchema, type TemplateValue } from './template-record.ts'

/** Messages that people save, with fields that are filled in before one is sent. No model reads a template. */
export const templates = capability<undefined, Records<TemplateValue>>({
  name: 'templates',
  summary: 'templates: saved messages with fields',
  commands: { templates: async () => (await import('./cli/templates.ts')).templatesCommand },
  slashCommands: {
    template: {
      argument: '[NAME …]',
      summary: 'send a template with the values of its fields, or list the templates',
      shows: 'alone',
      sends: true,
      run: async (call) => (await import('./cli/chat-template.ts')).chatTemplate(call),
    },
  },
  start: (host) => host.records(templateRecordKind),
  http: {
    async routes({ service }) {
      const { recordRoutes } = await import('../../server.ts')
      return recordRoutes(() => service, { name: 'template', one: 'a template', schema: templateSchema })
    },
  },
})
