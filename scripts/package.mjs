// npm run package: a VSIX for each platform, and out/nancy.vsix for any other
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { packageAll } = await import('./lib/packageExtension.mjs');
await packageAll();
