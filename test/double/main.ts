// node test/double/main.ts [port]: the demo's model by itself, for trying an agent CLI by hand.
import { startModelDouble } from './modelDouble.ts';

const model = await startModelDouble({ port: Number(process.argv[2] ?? 0), unscripted: 'demo' });
console.log(`ANTHROPIC_BASE_URL=${model.url}`);
