import type { Driver, LaunchRequest } from '../../core/driver/driver.ts';
import { launchOf } from '../acp/launch.ts';

/** `kiro-cli acp`, and its option for the model by its own help text (2.16.2, in issue 10761 of kirodotdev/Kiro). */
const talk = launchOf({ args: ['acp'] });

export const launch: Driver['launch'] = ({ model, extra, ...request }: LaunchRequest) =>
	talk({ ...request, model, extra: [...(model === undefined ? [] : [`--model=${model}`]), ...extra] });
