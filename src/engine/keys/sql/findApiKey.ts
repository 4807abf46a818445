import { statement, uuid } from '../../db/index.ts';
import { type ApiKey, apiKeyColumns } from '../apiKey.ts';

export const findApiKey = statement<ApiKey>('findApiKey').reads({
  params: { id: uuid },
  text: `select ${apiKeyColumns} from api_key where id = $id`,
});
