// `npm run demo`: a demonstration. Uses the service of HOLDFAST_URL or of keys.json, or starts one,
// and ends with commands that show its runs. Arguments:
//   github           signed webhooks through two workflows; the default
//   support          an agent whose refund a person approves
//   ai-sdk           an agent of the AI SDK, made durable
import { setUp } from './setup.mjs';

const demos = ['github', 'support', 'ai-sdk'];
const [name = 'github'] = process.argv.slice(2);
if (!demos.includes(name)) {
  console.error(`there is no demo "${name}"; there are ${demos.join(', ')}`);
  process.exit(1);
}

setUp();
process.setSourceMapsEnabled(true);
await import(`../dist/examples/${name}/demo.js`);
