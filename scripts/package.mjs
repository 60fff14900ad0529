// npm run package: the VSIX, at out/nancy.vsix
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { packageExtension } = await import('./lib/packageExtension.mjs');
console.log(await packageExtension());
