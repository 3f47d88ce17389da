/** A tool that answers the same to everybody. */
const lookUp = {
  name: 'look_up',
  description: 'Finds an order by its number.',
  inputSchema: { type: 'object', properties: { order: { type: 'number' } } },
  async execute() {
    return { ok: true, output: 'Order found: 12 crates of oranges, on the ship Aurora, berth 7, expected on Thursday.' }
  },
}

export default { name: 'look-up', version: '1.0.0', tools: () => [lookUp] }
