//! Block ciphers in CBC mode with PKCS#7 padding, as old stores use them.

use aws_lc_rs::cipher::{
    self, Algorithm, DecryptionContext, EncryptionContext, PaddedBlockDecryptingKey,
    PaddedBlockEncryptingKey, UnboundCipherKey,
};
use rc2::Rc2;
use rc2::cipher::{Block, BlockCipherDecrypt};
use zeroize::Zeroizing;

use super::Clear;
use crate::error::Error;

#[derive(Clone, Copy)]
pub(super) enum Cipher {
    Aes128,
    Aes192,
    Aes256,
    Des,
    TwoKeyDes,
    TripleDes,
    Rc2 { bits: usize },
}

impl Cipher {
    /// Decrypts and takes the padding off. Wrong padding means a wrong password.
    pub(super) fn decrypt(self, key: Option<&[u8]>, iv: Option<&[u8]>, data: &[u8]) -> Result<Clear, Error> {
        const BROKEN: Error = Error::Damaged { what: "encrypted content" };
        let (key, iv) = (key.ok_or(BROKEN)?, iv.ok_or(BROKEN)?);
        if let Cipher::Rc2 { bits } = self {
            return rc2(key, bits, iv.try_into().map_err(|_| BROKEN)?, data);
        }
        let context = match self {
            Cipher::Des | Cipher::TwoKeyDes | Cipher::TripleDes => {
                DecryptionContext::Iv64(<[u8; 8]>::try_from(iv).map_err(|_| BROKEN)?.into())
            }
            _ => DecryptionContext::Iv128(<[u8; 16]>::try_from(iv).map_err(|_| BROKEN)?.into()),
        };
        let key = UnboundCipherKey::new(self.algorithm().ok_or(BROKEN)?, key).map_err(|_| BROKEN)?;
        // The library refuses keys of DES that are weak; a password that derives one is a wrong one.
        let key = PaddedBlockDecryptingKey::cbc_pkcs7(key).map_err(|_| Error::WrongPassword)?;
        let mut clear = Zeroizing::new(data.to_vec());
        let length = key.decrypt(&mut clear, context).map_err(|_| Error::WrongPassword)?.len();
        clear.truncate(length);
        Ok(clear)
    }

    pub(super) fn encrypt(self, key: &[u8], iv: [u8; 16], clear: &[u8]) -> Result<Vec<u8>, Error> {
        const FAILED: Error = Error::Key(bartizan_crypto::Error::Failed);
        let key = UnboundCipherKey::new(self.algorithm().ok_or(FAILED)?, key).map_err(|_| FAILED)?;
        let key = PaddedBlockEncryptingKey::cbc_pkcs7(key).map_err(|_| FAILED)?;
        let mut data = clear.to_vec();
        key.less_safe_encrypt(&mut data, EncryptionContext::Iv128(iv.into())).map_err(|_| FAILED)?;
        Ok(data)
    }

    // The library marks all of DES as deprecated; old stores leave no choice.
    #[allow(deprecated)]
    fn algorithm(self) -> Option<&'static Algorithm> {
        Some(match self {
            Cipher::Aes128 => &cipher::AES_128,
            Cipher::Aes192 => &cipher::AES_192,
            Cipher::Aes256 => &cipher::AES_256,
            Cipher::Des => &cipher::DES_FOR_LEGACY_USE_ONLY,
            Cipher::TwoKeyDes => &cipher::DES_EDE_FOR_LEGACY_USE_ONLY,
            Cipher::TripleDes => &cipher::DES_EDE3_FOR_LEGACY_USE_ONLY,
            Cipher::Rc2 { .. } => return None,
        })
    }
}

fn rc2(key: &[u8], bits: usize, iv: [u8; 8], data: &[u8]) -> Result<Clear, Error> {
    let (blocks, []) = data.as_chunks::<8>() else { return Err(Error::damaged("encrypted content")) };
    let cipher = Rc2::new_with_eff_key_len(key, bits);
    let mut clear = Zeroizing::new(Vec::with_capacity(data.len()));
    let mut previous = iv;
    for sealed in blocks {
        let mut block = Block::<Rc2>::from(*sealed);
        cipher.decrypt_block(&mut block);
        clear.extend(block.iter().zip(previous).map(|(octet, chained)| octet ^ chained));
        previous = *sealed;
    }
    let padding = usize::from(*clear.last().ok_or(Error::damaged("encrypted content"))?);
    let length = clear.len().checked_sub(padding).ok_or(Error::WrongPassword)?;
    let sound = (1..=8).contains(&padding)
        && clear.get(length..).is_some_and(|tail| tail.iter().all(|octet| usize::from(*octet) == padding));
    if !sound {
        return Err(Error::WrongPassword);
    }
    clear.truncate(length);
    Ok(clear)
}
