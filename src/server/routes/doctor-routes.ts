import { type Finding, type Route, route } from '../../capability.ts'
import { errorBody } from '../answer.ts'
import { toFailure } from '../failure.ts'

/** What `foreword doctor` finds, for those who are not at the terminal. */
export function doctorRoutes(examine: () => AsyncIterable<Finding>): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/doctor',
      scope: 'admin',
      tag: 'system',
      summary: 'Checks the home as `foreword doctor` does: each finding as a server-sent event, when it is known',
      description:
        '`event: finding` has `{check, level, message, hint}`, where `level` is `ok`, `warning` or `problem`. `event: end` is the last. ' +
        'A reader that leaves ends the checks.',
      answers: { 200: { description: 'Findings', media: 'text/event-stream' } },
      handle: ({ stream }) =>
        stream({
          async run(sink) {
            sink.begin()
            for await (const finding of examine()) {
              if (sink.signal.aborted) return
              await sink.write(`event: finding\ndata: ${JSON.stringify(finding)}\n\n`)
            }
            await sink.write('event: end\ndata: {}\n\n')
          },
          lastWords: (error) => `event: error\ndata: ${JSON.stringify(errorBody(toFailure(error)))}\n\n`,
          isAnswer: true,
        }),
    }),
  ]
}
